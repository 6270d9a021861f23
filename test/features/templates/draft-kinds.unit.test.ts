import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../src/features/templates/draft/draft.js';
import type { DraftComponentInput, DraftInput } from '../../../src/features/templates/draft/input.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const x = (length: number) => 'x'.repeat(length);
const BODY = { type: 'BODY', text: 'Look at this' };
const HANDLE = { header_handle: ['4::aW1hZ2U='] };
const createDraft = (category: string, ...components: DraftComponentInput[]): DraftInput => ({
  ...{ name: 'spring_sale', language: 'en_US', category },
  components,
});
const createMarketing = (...components: DraftComponentInput[]) => createDraft('MARKETING', ...components);
const createButtons = (...buttons: object[]) => ({ type: 'BUTTONS', buttons }) as DraftComponentInput;
const createQuickReply = (text: string) => ({ type: 'QUICK_REPLY', text });
const link = { type: 'URL', text: 'Book', url: 'https://example.com/{{1}}', example: ['https://example.com/a'] };
const createCopyCode = (example = 'SAVE10') => ({ type: 'COPY_CODE', example });
const createFlow = (changes: object = {}) => ({ type: 'FLOW', text: 'Begin', flow_id: '1', ...changes });
const createOffer = (details: object = {}) => ({
  type: 'limited_time_offer',
  limited_time_offer: { text: 'Only today', has_expiration: true, ...details },
});
const createCard = (changes: { header?: object; body?: string | null; buttons?: object[] } = {}) => {
  const {
    header = { format: 'IMAGE', example: HANDLE },
    body = 'A shirt',
    buttons = [createQuickReply('More'), link],
  } = changes;
  const components: DraftComponentInput[] = [{ type: 'HEADER', ...header }];
  if (body !== null) components.push({ type: 'BODY', text: body });
  if (buttons.length > 0) components.push(createButtons(...buttons));
  return { components };
};
const createCarousel = (...cards: ReturnType<typeof createCard>[]): DraftComponentInput => ({
  type: 'carousel',
  cards,
});
const createCards = (count: number) => Array.from({ length: count }, () => createCard());
const createWithCarousel = (...cards: ReturnType<typeof createCard>[]) =>
  createMarketing(BODY, createCarousel(...cards));
const createOtp = (button: object) =>
  createDraft('AUTHENTICATION', { type: 'BODY' }, createButtons({ type: 'OTP', otp_type: 'ONE_TAP', ...button }));
const APP = { package_name: 'com.example.shop', signature_hash: 'K8a/AINcGX7' };

function listBrokenFields(input: DraftInput): string[] {
  try {
    checkDraft(input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.fields.map(({ field }) => field);
  }
}

describe('a template draft of each kind', () => {
  it.each<[string, DraftInput]>([
    ['a picture', createMarketing({ type: 'HEADER', format: 'IMAGE', example: HANDLE }, BODY)],
    [
      'a video link',
      createMarketing({ type: 'HEADER', format: 'VIDEO', example: { header_handle: ['https://x.y/a'] } }, BODY),
    ],
    ['a place', createDraft('UTILITY', { type: 'HEADER', format: 'LOCATION' }, BODY)],
    ['a code', createMarketing(BODY, createButtons(createCopyCode(), createQuickReply('Stop')))],
    [
      'a Flow',
      createDraft('UTILITY', BODY, createButtons(createFlow({ flow_action: 'navigate', navigate_screen: 'FIRST' }))),
    ],
    ['a catalogue', createMarketing(BODY, createButtons({ type: 'CATALOG', text: 'View catalog' }))],
    ['several products', createMarketing(BODY, createButtons({ type: 'MPM', text: 'View items' }))],
    ['one product', createMarketing({ type: 'HEADER', format: 'PRODUCT' }, BODY, createButtons({ type: 'SPM' }))],
    ['a call', createDraft('UTILITY', BODY, createButtons({ type: 'VOICE_CALL', text: 'Call us' }))],
    ['a request for permission to call', createDraft('UTILITY', BODY, { type: 'call_permission_request' })],
    ['an offer that ends', createMarketing(BODY, createOffer(), createButtons(createCopyCode(), link))],
    ['an offer without an end', createMarketing(BODY, createOffer({ has_expiration: false }), createButtons(link))],
    ['a carousel of pictures', createWithCarousel(createCard(), createCard())],
    [
      'a carousel without texts and buttons',
      createWithCarousel(...[1, 2].map(() => createCard({ body: null, buttons: [] }))),
    ],
    [
      'a carousel of products',
      createWithCarousel(
        ...[1, 2].map(() => createCard({ header: { format: 'PRODUCT' }, body: null, buttons: [{ type: 'SPM' }] })),
      ),
    ],
    ['an app that takes the code', createOtp({ supported_apps: [APP], autofill_text: 'Autofill' })],
    ['an app in the former format', createOtp(APP)],
    [
      'an app that receives the code automatically',
      createOtp({ otp_type: 'zero_tap', supported_apps: [APP], zero_tap_terms_accepted: true }),
    ],
  ])('a template draft accepts %s', (_, input) => {
    expect(listBrokenFields(input)).toEqual([]);
  });

  it.each<[string, (excess: 0 | 1) => DraftInput]>([
    [
      'components[1].limited_time_offer.text',
      (excess) => createMarketing(BODY, createOffer({ text: x(16 + excess) }), createButtons(createCopyCode(), link)),
    ],
    [
      'components[0].text',
      (excess) =>
        createMarketing({ type: 'BODY', text: x(600 + excess) }, createOffer(), createButtons(createCopyCode(), link)),
    ],
    [
      'components[2].buttons[0].example',
      (excess) => createMarketing(BODY, createOffer(), createButtons(createCopyCode(x(15 + excess)), link)),
    ],
    [
      'components[1].buttons[0].example',
      (excess) => createMarketing(BODY, createButtons(createCopyCode(x(20 + excess)))),
    ],
    [
      'components[1].buttons[0].text',
      (excess) => createMarketing(BODY, createButtons(createFlow({ text: x(25 + excess) }))),
    ],
    [
      'components[1].buttons[1]',
      (excess) => createMarketing(BODY, createButtons(createFlow(), ...(excess ? [createFlow({ text: 'B' })] : []))),
    ],
    ['components[1].cards', (excess) => createWithCarousel(...createCards(2 - excess))],
    ['components[1].cards', (excess) => createWithCarousel(...createCards(10 + excess))],
    [
      'components[1].cards[0].components[1].text',
      (excess) => createWithCarousel(createCard({ body: x(160 + excess) }), createCard()),
    ],
    [
      'components[1].cards[0].components[2].buttons',
      (excess) =>
        createWithCarousel(
          ...[1, 2].map(() =>
            createCard({
              buttons: [createQuickReply('A'), createQuickReply('B'), ...(excess ? [createQuickReply('C')] : [])],
            }),
          ),
        ),
    ],
    [
      'components[1].buttons[0].supported_apps',
      (excess) => createOtp({ supported_apps: Array.from({ length: 5 + excess }, () => APP) }),
    ],
    ['components[1].buttons[0].autofill_text', (excess) => createOtp({ ...APP, autofill_text: x(25 + excess) })],
  ])("a template draft accepts a value at Meta's limit and rejects one above it, in %s", (field, make) => {
    expect(listBrokenFields(make(0))).toEqual([]);
    expect(listBrokenFields(make(1))).toContain(field);
  });

  it.each<[string, DraftInput, string[]]>([
    [
      'an offer of another category',
      createDraft('UTILITY', BODY, createOffer(), createButtons(createCopyCode(), link)),
      ['category'],
    ],
    ['a catalogue of another category', createDraft('UTILITY', BODY, createButtons({ type: 'CATALOG' })), ['category']],
    [
      'an offer without a text',
      createMarketing(BODY, { type: 'LIMITED_TIME_OFFER' }, createButtons(link)),
      ['components[1].limited_time_offer.text'],
    ],
    [
      'an offer with a footer',
      createMarketing(BODY, createOffer(), { type: 'FOOTER', text: 'Bye' }, createButtons(createCopyCode(), link)),
      ['components[2]'],
    ],
    [
      'an offer below a text header',
      createMarketing({ type: 'HEADER', text: 'Hi' }, BODY, createOffer(), createButtons(createCopyCode(), link)),
      ['components[0].format'],
    ],
    [
      'an offer without a link',
      createMarketing(BODY, createOffer(), createButtons(createCopyCode())),
      ['components[2].buttons'],
    ],
    ['an offer without buttons', createMarketing(BODY, createOffer({ has_expiration: false })), ['components']],
    [
      'an offer that ends, without a code',
      createMarketing(BODY, createOffer(), createButtons(link)),
      ['components[2].buttons'],
    ],
    [
      'an offer whose code is last',
      createMarketing(BODY, createOffer(), createButtons(link, createCopyCode())),
      ['components[2].buttons'],
    ],
    [
      'an offer with a quick reply',
      createMarketing(BODY, createOffer(), createButtons(createCopyCode(), link, createQuickReply('No'))),
      ['components[2].buttons[2].type'],
    ],
    [
      'a catalog button with a quick reply',
      createMarketing(BODY, createButtons({ type: 'CATALOG' }, createQuickReply('No'))),
      ['components[1].buttons[0]'],
    ],
    [
      'a Flow without an identifier',
      createMarketing(BODY, createButtons(createFlow({ flow_id: undefined }))),
      ['components[1].buttons[0]'],
    ],
    [
      'a Flow of two names',
      createMarketing(BODY, createButtons(createFlow({ flow_name: 'x' }))),
      ['components[1].buttons[0]'],
    ],
    [
      'a Flow with an unknown action',
      createMarketing(BODY, createButtons(createFlow({ flow_action: 'x' }))),
      ['components[1].buttons[0].flow_action'],
    ],
    [
      'an image with two examples',
      createMarketing({ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['a', 'b'] } }, BODY),
      ['components[0].example'],
    ],
    [
      'a carousel with a footer',
      createMarketing(BODY, { type: 'FOOTER', text: 'Bye' }, createCarousel(...createCards(2))),
      ['components[1]'],
    ],
    [
      'a card without a header',
      createWithCarousel(createCard(), { components: createCard().components.slice(1) }),
      ['components[1].cards[1].components', 'components[1].cards[1].components'],
    ],
    [
      'a card with another header format',
      createWithCarousel(createCard(), createCard({ header: { format: 'VIDEO', example: HANDLE } })),
      ['components[1].cards[1].components'],
    ],
    [
      'a card without a text',
      createWithCarousel(createCard(), createCard({ body: null })),
      ['components[1].cards[1].components'],
    ],
    [
      'a card with other buttons',
      createWithCarousel(createCard(), createCard({ buttons: [link, createQuickReply('More')] })),
      ['components[1].cards[1].components'],
    ],
    [
      'cards without an example',
      createWithCarousel(...[1, 2].map(() => createCard({ header: { format: 'IMAGE' } }))),
      ['components[1].cards[0].components[0].example', 'components[1].cards[1].components[0].example'],
    ],
    [
      'cards with a text header',
      createWithCarousel(...[1, 2].map(() => createCard({ header: { format: 'TEXT', text: 'x' } }))),
      ['components[1].cards[0].components[0].format', 'components[1].cards[1].components[0].format'],
    ],
    [
      'cards with a code',
      createWithCarousel(...[1, 2].map(() => createCard({ buttons: [createCopyCode()] }))),
      ['components[1].cards[0].components[2].buttons[0].type', 'components[1].cards[1].components[2].buttons[0].type'],
    ],
    [
      'cards with named parameters and a body with numbered ones',
      createMarketing(
        { type: 'BODY', text: 'For {{1}} now' },
        createCarousel(...[1, 2].map(() => createCard({ body: 'Of {{what}} here' }))),
      ),
      ['components[1].cards[0].components[1].text'],
    ],
    [
      'an app without a name',
      createOtp({ supported_apps: [{ signature_hash: APP.signature_hash }] }),
      ['components[1].buttons[0].supported_apps[0].package_name'],
    ],
    [
      'an app with a short hash',
      createOtp({ ...APP, signature_hash: 'K8a' }),
      ['components[1].buttons[0].signature_hash'],
    ],
    [
      'terms that are not accepted',
      createOtp({ ...APP, otp_type: 'ZERO_TAP' }),
      ['components[1].buttons[0].zero_tap_terms_accepted'],
    ],
  ])('a template draft rejects %s', (_, input, fields) => {
    expect(listBrokenFields(input)).toEqual(fields);
  });

  it('a template draft keeps unknown fields and adds required samples, also in cards', () => {
    const unknownFields = { surprise: { deep: 1 } };
    const link = { type: 'url', text: 'Buy', url: 'https://example.com/{{1}}', ...unknownFields };
    const expected = { ...createCard({ body: 'Only {{1}} now', buttons: [link] }), ...unknownFields };
    const { components, stored } = checkDraft(
      createMarketing({ ...BODY, ...unknownFields }, { ...createCarousel(expected, expected), ...unknownFields }),
    );
    expect(components[0]).toEqual({ ...BODY, ...unknownFields });
    const [header, body] = expected.components;
    const expectedDraft = {
      ...unknownFields,
      components: [
        header,
        { ...body, example: { body_text: [['sample 1']] } },
        { type: 'BUTTONS', buttons: [{ ...link, type: 'URL', example: ['https://example.com/sample'] }] },
      ],
    };
    expect(components[1]).toEqual({ type: 'CAROUSEL', cards: [expectedDraft, expectedDraft], ...unknownFields });
    expect(stored[1]).toMatchObject({ cards: [{ components: [header, body, { buttons: [{ type: 'URL' }] }] }, {}] });
  });
});
