const BODY = { type: 'BODY', text: 'Look at this' };
const LINK = 'https://example.com/a.jpg';
export const OFFER_END = Date.UTC(2030, 0, 1);

export const text = (value: string) => ({ type: 'text', text: value });
export const header = (parameter: object) => ({ type: 'header', parameters: [parameter] });
export const image = header({ type: 'image', image: { link: LINK } });
export const button = (sub_type: string, index: number | string, ...parameters: object[]) => ({
  type: 'button',
  sub_type,
  index,
  parameters,
});
export const code = (coupon_code: string, index = 0) =>
  button('copy_code', index, { type: 'coupon_code', coupon_code });
export const action = (sub_type: string, content: object) => button(sub_type, 0, { type: 'action', action: content });
export const offerEnd = (expiration_time_ms: unknown) => ({
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms } }],
});
export const products = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ product_retailer_id: `product-${index}`, extra: index }));
export const section = (count: number, title = 'Shirts') => ({ title, product_items: products(count) });
export const shelf = (sections: object[]) => action('mpm', { thumbnail_product_retailer_id: 'product-0', sections });
export const card = (card_index: number, ...components: object[]) => ({ card_index, components });
export const carousel = (...cards: object[]) => ({ type: 'carousel', cards });
export const product = (product_retailer_id: string) =>
  header({ type: 'product', product: { product_retailer_id, catalog_id: '7' } });
export const shopCard = (index: number) =>
  card(index, image, { type: 'body', parameters: [text('5 €')] }, button('url', 1, text('x')));

const buildButtons = (...buttons: object[]) => ({ type: 'BUTTONS', buttons });
const buildCard = (title: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: `${title} for {{1}} now` },
    buildButtons({ type: 'QUICK_REPLY', text: 'More' }, { type: 'URL', text: 'Buy', url: 'https://example.com/{{1}}' }),
  ],
});
const productCard = {
  components: [{ type: 'HEADER', format: 'PRODUCT' }, buildButtons({ type: 'SPM', text: 'View' })],
};

export const TEMPLATES: Record<string, object[]> = {
  picture: [{ type: 'HEADER', format: 'IMAGE' }, BODY, { type: 'FOOTER', text: 'Bye' }],
  film: [{ type: 'HEADER', format: 'VIDEO' }, BODY],
  paper: [{ type: 'HEADER', format: 'DOCUMENT' }, BODY],
  place: [{ type: 'HEADER', format: 'LOCATION' }, BODY],
  money: [{ type: 'BODY', text: 'It costs {{1}} until {{2}} today' }],
  named: [
    { type: 'HEADER', format: 'TEXT', text: 'For {{who}}' },
    { type: 'BODY', text: 'Hello {{first_name}}, welcome' },
  ],
  replies: [BODY, buildButtons({ type: 'QUICK_REPLY', text: 'Yes' }, { type: 'QUICK_REPLY', text: 'No' })],
  coupon: [BODY, buildButtons({ type: 'COPY_CODE', text: 'Copy offer code' })],
  offer: [
    BODY,
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Only today', has_expiration: true } },
    buildButtons({ type: 'COPY_CODE', text: 'Copy' }, { type: 'URL', text: 'Book', url: 'https://example.com/{{1}}' }),
  ],
  catalogue: [BODY, buildButtons({ type: 'CATALOG', text: 'View catalog' })],
  shelf: [BODY, buildButtons({ type: 'MPM', text: 'View items' })],
  flow: [BODY, buildButtons({ type: 'FLOW', text: 'Begin' })],
  carousel: [
    { type: 'BODY', text: 'Three for {{1}} now' },
    { type: 'CAROUSEL', cards: [buildCard('Red'), buildCard('Blue')] },
  ],
  products: [BODY, { type: 'CAROUSEL', cards: [productCard, productCard] }],
};

export const cards = [shopCard(0), shopCard(1)];
export const inCarousel = (...carouselCards: object[]) => [
  { type: 'body', parameters: [text('Ada')] },
  carousel(...carouselCards),
];

/** Template sends of each kind, with the parts that the inbox shows. */
export const SENDS: [template: string, components: object[], shown: object | null][] = [
  ['picture', [image], { header: { format: 'IMAGE', media: { link: LINK } }, footer: 'Bye' }],
  ['picture', [header({ type: 'image', image: { id: '123', unknown: { deep: [null, 1] } } })], {}],
  ['film', [header({ type: 'video', video: { link: 'https://example.com/a.mp4' } })], {}],
  ['paper', [header({ type: 'document', document: { id: '5', filename: 'bill.pdf' } })], {}],
  ['place', [header({ type: 'location', location: { latitude: '51.5', longitude: -0.1, name: 'Shop' } })], {}],
  [
    'money',
    [
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: '$9', code: 'USD', amount_1000: 9000 } },
          { type: 'date_time', date_time: { fallback_value: 'May 1', day_of_week: 5, calendar: 'GREGORIAN' } },
        ],
      },
    ],
    null,
  ],
  [
    'named',
    [
      { type: 'header', parameters: [{ ...text('Ada'), parameter_name: 'who' }] },
      { type: 'body', parameters: [{ ...text('Ada'), parameter_name: 'first_name' }] },
    ],
    { header: { format: 'TEXT', text: 'For Ada' }, body: 'Hello Ada, welcome' },
  ],
  [
    'replies',
    [button('quick_reply', '1', { type: 'payload', payload: 'no-thanks' })],
    {
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
      ],
    },
  ],
  ['coupon', [code('SAVE10')], { buttons: [{ type: 'COPY_CODE', text: 'Copy offer code', code: 'SAVE10' }] }],
  [
    'offer',
    [offerEnd(OFFER_END), code('SAVE10'), button('url', 1, text('a1'))],
    {
      offer: { text: 'Only today', expiresAt: '2030-01-01T00:00:00.000Z' },
      buttons: [{ code: 'SAVE10' }, { url: 'https://example.com/a1' }],
    },
  ],
  ['catalogue', [], {}],
  ['catalogue', [action('CATALOG', { thumbnail_product_retailer_id: 'product-1' })], {}],
  ['shelf', [shelf([section(2), section(1, 'Shoes')])], {}],
  ['flow', [action('flow', { flow_token: 't', flow_action_data: { screen: null } })], {}],
  [
    'carousel',
    inCarousel(...cards.toReversed()),
    {
      cards: [
        {
          header: { format: 'IMAGE', media: { link: LINK } },
          body: 'Red for 5 € now',
          buttons: [{ text: 'More' }, { text: 'Buy', url: 'https://example.com/x' }],
        },
        { body: 'Blue for 5 € now' },
      ],
    },
  ],
  ['products', [carousel(...['a', 'b', 'c'].map((id, index) => card(index, product(id))))], {}],
];
