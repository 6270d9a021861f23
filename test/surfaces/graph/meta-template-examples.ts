/**
 * Templates from Meta's public description of the Cloud API (facebook/openapi, business-messaging-api v23.0), named as there
 * without `Create`.
 */
type Json = Record<string, unknown>;

const draft = (name: string, category: string, ...components: Json[]) => ({
  name,
  category,
  language: 'en_US',
  components,
});
const buttons = (...buttonList: Json[]): Json => ({ type: 'BUTTONS', buttons: buttonList });
const body = (text: string, ...samples: string[]): Json => ({ type: 'BODY', text, example: { body_text: [samples] } });
const callButton = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15005550111' };
const mediaHeader = (type: string) => ({
  header_handle: [`4::${Buffer.from(type).toString('base64')}:ARZVv4zuogJMxmAdS3:e`],
});

const flow = (name: string, flowReference: Json) =>
  draft(
    name,
    'MARKETING',
    { type: 'body', text: 'Check out this new offer' },
    buttons({
      type: 'FLOW',
      text: 'Check it out!',
      flow_action: 'navigate',
      navigate_screen: 'WELCOME_SCREEN',
      ...flowReference,
    }),
  );

const code = (name: string, button: Json) =>
  draft(
    name,
    'AUTHENTICATION',
    { type: 'BODY', add_security_recommendation: true },
    { type: 'FOOTER', code_expiration_minutes: 10 },
    buttons({ type: 'OTP', text: 'Copy Code', ...button }),
  );

const SCREEN = {
  id: 'WELCOME_SCREEN',
  layout: { type: 'SingleColumnLayout', children: [{ type: 'TextHeading', text: 'Hello World' }] },
  title: 'Welcome',
  terminal: true,
  data: {},
};

export const DRAFTS: Record<string, ReturnType<typeof draft>> = {
  'Flow Template Message by Flow JSON': flow('flow_json', {
    flow_json: JSON.stringify({ version: '5.0', screens: [SCREEN] }),
  }),
  'Flow Template Message by ID': flow('flow_id', { flow_id: '1234567890' }),
  'Flow Template Message by Name': flow('flow_name', { flow_name: 'booking' }),
  'authentication template w/ OTP copy code button': code('code_copy', { otp_type: 'COPY_CODE' }),
  'authentication template w/ OTP one-tap autofill button': code('code_autofill', {
    autofill_text: 'Autofill',
    otp_type: 'ONE_TAP',
    package_name: 'com.example.luckyshrub',
    signature_hash: 'K8a%2FAINcGX',
  }),
  'multi-product message template': draft(
    'abandoned_cart',
    'MARKETING',
    { type: 'HEADER', format: 'TEXT', text: 'Forget something {{1}}?', example: { header_text: ['Pablo'] } },
    body('Use code {{1}} and you can get 10% off of all of them!', '10OFF'),
    buttons({ type: 'MPM', text: 'View items' }),
  ),
  'template w/ document header, text body, a phone number button, and a URL button': draft(
    'order_confirmation',
    'UTILITY',
    { type: 'HEADER', format: 'DOCUMENT', example: mediaHeader('application/pdf') },
    body('Thank you, {{1}}! Your order number is {{2}}. Thanks again!', 'Mark', '860198-230332'),
    buttons(callButton, { type: 'URL', text: 'Contact Support', url: 'https://example.com/support' }),
  ),
  'template w/ image header, text body, text footer, and 2 call-to-action buttons': draft(
    'limited_time_offer',
    'MARKETING',
    { type: 'HEADER', format: 'IMAGE', example: mediaHeader('image/jpeg') },
    body('Hi {{1}}! Get our {{2}} for as low as {{3}}. Tap the button.', 'Mark', 'Tuscan Getaway', '800'),
    { type: 'FOOTER', text: 'Offer valid until May 31, 2023' },
    buttons(callButton, {
      type: 'URL',
      text: 'Shop',
      url: 'https://example.com/shop?promo={{1}}',
      example: ['summer2023'],
    }),
  ),
  'template w/ location header, text body, text footer, and a website buttons': draft(
    'order_delivery_update',
    'UTILITY',
    { type: 'HEADER', format: 'LOCATION' },
    body('Good news {{1}}! Your order #{{2}} is on its way.', 'Mark', '566701'),
    { type: 'FOOTER', text: 'To stop receiving delivery updates, tap the button below.' },
    buttons({ type: 'QUICK_REPLY', text: 'Stop Delivery Updates' }),
  ),
  'template w/ text header, text body, text footer, and 2 quick reply buttons': draft(
    'seasonal_promotion',
    'MARKETING',
    { type: 'HEADER', format: 'TEXT', text: 'Our {{1}} is on!', example: { header_text: ['Summer Sale'] } },
    body('Shop now through {{1}} and use code {{2}} to get {{3}} off.', 'the end of August', '25OFF', '25%'),
    { type: 'FOOTER', text: 'Use the buttons below to manage your marketing subscriptions' },
    buttons(
      { type: 'QUICK_REPLY', text: 'Unsubcribe from Promos' },
      { type: 'QUICK_REPLY', text: 'Unsubscribe from All' },
    ),
  ),
};
