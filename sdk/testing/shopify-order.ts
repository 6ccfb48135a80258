/**
 * The example of an order in https://shopify.dev/docs/api/webhooks/2026-07, for "orders/paid" and the other topics of
 * orders, which is also Shopify's test notification. It is JSON as received, without the fields that no source has. Its
 * ids are beyond 2⁵³.
 */
export const shopifyOrder = `{
  "id": 820982911946154508, "admin_graphql_api_id": "gid://shopify/Order/820982911946154508", "app_id": null,
  "cancel_reason": "customer", "cancelled_at": "2021-12-31T19:00:00-05:00", "confirmed": false,
  "contact_email": "jon@example.com", "created_at": "2021-12-31T19:00:00-05:00", "currency": "USD",
  "email": "jon@example.com", "financial_status": "voided", "fulfillment_status": null, "name": "#9999", "note": null,
  "number": 234, "order_number": 1234, "subtotal_price": "404.95", "tags": "tag1, tag2", "test": true,
  "total_price": "404.95", "total_tax": "0.00", "updated_at": "2021-12-31T19:00:00-05:00", "user_id": null,
  "customer": {
    "id": 115310627314723954, "admin_graphql_api_id": "gid://shopify/Customer/115310627314723954", "created_at": null,
    "updated_at": null, "first_name": "John", "last_name": "Smith", "email": "john@example.com", "phone": null
  },
  "line_items": [
    {
      "id": 487817672276298554, "admin_graphql_api_id": "gid://shopify/LineItem/487817672276298554",
      "price": "89.99", "product_id": 788032119674292922, "quantity": 1, "sku": "SKU2006-001",
      "title": "Aviator sunglasses", "variant_id": null, "vendor": null
    },
    {
      "id": 789012345678901234, "admin_graphql_api_id": "gid://shopify/LineItem/789012345678901234",
      "price": "19.99", "product_id": null, "quantity": 1, "sku": "LENS-PROTECT-2YR",
      "title": "Lens Protection Plan (2 Year)", "variant_id": null, "vendor": null
    }
  ],
  "shipping_address": {
    "first_name": "Steve", "address1": "123 Shipping Street", "city": "Shippington", "zip": "40003",
    "province": "Kentucky", "country_code": "US"
  }
}`;
