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
