/** Signed requests that senders publish, with the secret that signed them. */

/** From the tests of twilio-python. */
export const publishedTwilio = {
  secret: "1c892n40nd03kdnc0112slzkl3091j20",
  url: "http://www.postbin.org/1ed898x",
  signature: "fF+xx6dTinOaCdZ0aIeNkHr/ZAA=",
  body: "FromZip=89449&From=%2B15306666666&FromCity=SOUTH+LAKE+TAHOE&ApiVersion=2010-04-01&To=%2B15306384866&CallStatus=ringing&CalledState=CA&FromState=CA&Direction=inbound&ToCity=OAKLAND&ToZip=94612&CallerCity=SOUTH+LAKE+TAHOE&FromCountry=US&CallerName=CA+Wireless+Call&CalledCity=OAKLAND&CalledCountry=US&Caller=%2B15306666666&CallerZip=89449&AccountSid=AC9a9f9392lad99kla0sklakjs90j092j3&Called=%2B15306384866&CallerCountry=US&CalledZip=94612&CallSid=CAd800bb12c0426a7ea4230e492fef2a4f&CallerState=CA&ToCountry=US&ToState=CA",
};

/** From the tests of Square's library for Node.js. */
export const publishedSquare = {
  secret: "Ibxx_5AKakO-3qeNVR61Dw",
  url: "https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9",
  signature: "GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=",
  body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
};

/** From the tests of hubspot-api-python. `time` in Unix milliseconds. */
export const publishedHubspot = {
  secret: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
  url: "https://www.example.com/webhook_uri",
  signature: "HPW73RUtKmcYoEDADG0s6MmGFWUzWJKAW07r8RDgcQw=",
  body: "{'example_field':'example_value'}",
  time: 15_000_000,
};

/** From the tests of mailgun-php. `time` in Unix seconds. */
export const publishedMailgun = {
  secret: "key-3ax6xnjp29jd6fds4gc373sgvjxteol0",
  time: 1_403_645_220,
  token: "5egbgr1vjgqxtrnp65xfznchgdccwh5d6i09vijqi3whgowmn6",
  otherToken: "owyldpe6nxhmrn78epljl6bj0orrki1u3d2v5e6cnlmmuox8jr",
  signature: "9cfc5c41582e51246e73c88d34db3af0a3a2692a76fbab81492842f000256d33",
};

/** From the tests of WhatsApp's library for Node.js. */
export const publishedMeta = {
  secret: "TEST_APP_SECRET",
  signature: "sha256=0c61947b610d4f45e65f3d680e26027121ec2413e77598bcb6cfc6e0d9888221",
  body: "test",
};

/** From the tests of shopify-api-js, and of shopify_app with its old and its new secret. */
export const publishedShopify = [
  { secret: "test_secret_key", body: '{"foo": "bar"}', signature: "B23tXN681gZ0qIWNRrgtzBE9XSDo5yaUu6wfmhu3a7g=" },
  { secret: "secret", body: "foo=anything", signature: "yCGX/RrK4fcuNtr3ztk5tQGsOBjcAzHpGLdMUrbV8yI=" },
  { secret: "old_secret", body: "foo=anything", signature: "XqRcjrSv57VACn6apEO9znyu/wkN1VC7QxdSPwK3Hzs=" },
];

/**
 * The messages of Zoom's documentation, which has no complete signature. With this secret, Zoom's own library
 * (`@zoom/rivet` 0.4) accepts the request and answers the validation like this. `time` in Unix seconds.
 */
export const acceptedByZoom = {
  secret: "0123456789abcdef0123456789abcdef",
  time: 1_658_940_994,
  signature: "v0=464974761c5840dab90549523663f109b57b55a1349508c7d8c56288ff80db66",
  body: '{"event":"session.started","payload":{"account_id":"{ACCOUNT_ID}","object":{"start_time":"2022-07-27T16:56:34Z","id":"{SESSION_ID}"}},"event_ts":1658940994914}',
  plainToken: "qgg8vlvZRS6UYooatFL8Aw",
  encryptedToken: "c1e2d9c8d9a624043bc69abb8320c1bdb5509a8da365cfb8f2cb7f938e630026",
};

/**
 * The event of the tests of Linear's library, which sign it with this secret while they run. Its library
 * (`@linear/sdk` 98, `LinearWebhookClient`) accepts the request. `time` in Unix milliseconds.
 */
export const acceptedByLinear = {
  secret: "SECRET",
  time: 1_677_611_643_000,
  signature: "8790fcbbea809950be9198408593c2a13f7591bba6c61adb589f709b5e1b186a",
  body: '{"action":"create","data":{"id":"2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9","createdAt":"2020-01-23T12:53:18.084Z","updatedAt":"2020-01-23T12:53:18.084Z","archivedAt":null,"body":"Indeed, I think this is definitely an improvement over the previous version.","edited":false,"issueId":"539068e2-ae88-4d09-bd75-22eb4a59612f","userId":"aacdca22-6266-4c0a-ab3c-8fa70a26765c"},"type":"Comment","url":"https://linear.app/issue/LIN-1778/foo-bar#comment-77217de3-fb52-4dad-bb9a-b356beb93de8","createdAt":"2020-01-23T12:53:18.084Z","webhookTimestamp":1677611643000}',
};

/** The change notification of Microsoft Graph's documentation, with its `clientState` as the secret. */
export const publishedGraph = {
  secret: "secretClientValue",
  body: String.raw`{
  "value": [
    {
      "id": "lsgTZMr9KwAAA",
      "subscriptionId":"{subscription_guid}",
      "subscriptionExpirationDateTime":"2016-03-19T22:11:09.952Z",
      "clientState":"secretClientValue",
      "changeType":"created",
      "resource":"users/{user_guid}@{tenant_guid}/messages/{long_id_string}",
      "tenantId": "84bd8158-6d4d-4958-8b9f-9d6445542f95",
      "resourceData":
      {
        "@odata.type":"#Microsoft.Graph.Message",
        "@odata.id":"Users/{user_guid}@{tenant_guid}/Messages/{long_id_string}",
        "@odata.etag":"W/\"CQAAABYAAADkrWGo7bouTKlsgTZMr9KwAAAUWRHf\"",
        "id":"{long_id_string}"
      }
    }
  ]
}`,
};

/**
 * The push event of GitLab's documentation, shortened. GitLab publishes no token: its own tests generate one. The
 * header has the token itself, so any token is an example.
 */
export const publishedGitlab = {
  headers: { "x-gitlab-event": "Push Hook" },
  body: '{"object_kind":"push","event_name":"push","before":"95790bf891e76fee5e1747ab589903a6a1f80f22","after":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7","ref":"refs/heads/master","checkout_sha":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7","user_id":4,"user_name":"John Smith","user_username":"jsmith","project_id":15,"total_commits_count":4}',
};
