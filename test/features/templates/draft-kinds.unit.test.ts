import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../src/features/templates/draft/draft.js';
import type { DraftComponentInput, DraftInput } from '../../../src/features/templates/draft/input.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const x = (length: number) => 'x'.repeat(length);
const BODY = { type: 'BODY', text: 'Look at this' };
const HANDLE = { header_handle: ['4::aW1hZ2U='] };
const draft = (category: string, ...components: DraftComponentInput[]): DraftInput => ({
  ...{ name: 'spring_sale', language: 'en_US', category },
  components,
});
const marketing = (...components: DraftComponentInput[]) => draft('MARKETING', ...components);
const buttonsComponent = (...buttons: object[]) => ({ type: 'BUTTONS', buttons }) as DraftComponentInput;
const quick = (text: string) => ({ type: 'QUICK_REPLY', text });
const link = { type: 'URL', text: 'Book', url: 'https://example.com/{{1}}', example: ['https://example.com/a'] };
const code = (example = 'SAVE10') => ({ type: 'COPY_CODE', example });
const flow = (changes: object = {}) => ({ type: 'FLOW', text: 'Begin', flow_id: '1', ...changes });
const offer = (details: object = {}) => ({
  type: 'limited_time_offer',
  limited_time_offer: { text: 'Only today', has_expiration: true, ...details },
});
const card = (changes: { header?: object; body?: string | null; buttons?: object[] } = {}) => {
  const { header = { format: 'IMAGE', example: HANDLE }, body = 'A shirt', buttons = [quick('More'), link] } = changes;
  const components: DraftComponentInput[] = [{ type: 'HEADER', ...header }];
  if (body !== null) components.push({ type: 'BODY', text: body });
  if (buttons.length > 0) components.push(buttonsComponent(...buttons));
  return { components };
};
const carousel = (...cards: ReturnType<typeof card>[]): DraftComponentInput => ({ type: 'carousel', cards });
const cards = (count: number) => Array.from({ length: count }, () => card());
const inCarousel = (...cards: ReturnType<typeof card>[]) => marketing(BODY, carousel(...cards));
const otp = (button: object) =>
  draft('AUTHENTICATION', { type: 'BODY' }, buttonsComponent({ type: 'OTP', otp_type: 'ONE_TAP', ...button }));
const APP = { package_name: 'com.example.shop', signature_hash: 'K8a/AINcGX7' };

function brokenFields(input: DraftInput): string[] {
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
    ['a picture', marketing({ type: 'HEADER', format: 'IMAGE', example: HANDLE }, BODY)],
    [
      'a video link',
      marketing({ type: 'HEADER', format: 'VIDEO', example: { header_handle: ['https://x.y/a'] } }, BODY),
    ],
    ['a place', draft('UTILITY', { type: 'HEADER', format: 'LOCATION' }, BODY)],
    ['a code', marketing(BODY, buttonsComponent(code(), quick('Stop')))],
    ['a Flow', draft('UTILITY', BODY, buttonsComponent(flow({ flow_action: 'navigate', navigate_screen: 'FIRST' })))],
    ['a catalogue', marketing(BODY, buttonsComponent({ type: 'CATALOG', text: 'View catalog' }))],
    ['several products', marketing(BODY, buttonsComponent({ type: 'MPM', text: 'View items' }))],
    ['one product', marketing({ type: 'HEADER', format: 'PRODUCT' }, BODY, buttonsComponent({ type: 'SPM' }))],
    ['a call', draft('UTILITY', BODY, buttonsComponent({ type: 'VOICE_CALL', text: 'Call us' }))],
    ['the wish to call', draft('UTILITY', BODY, { type: 'call_permission_request' })],
    ['an offer that ends', marketing(BODY, offer(), buttonsComponent(code(), link))],
    ['an offer without an end', marketing(BODY, offer({ has_expiration: false }), buttonsComponent(link))],
    ['a carousel of pictures', inCarousel(card(), card())],
    ['a carousel without texts and buttons', inCarousel(...[1, 2].map(() => card({ body: null, buttons: [] })))],
    [
      'a carousel of products',
      inCarousel(...[1, 2].map(() => card({ header: { format: 'PRODUCT' }, body: null, buttons: [{ type: 'SPM' }] }))),
    ],
    ['an app that takes the code', otp({ supported_apps: [APP], autofill_text: 'Autofill' })],
    ['an app as it was named before', otp(APP)],
    [
      'an app that receives the code automatically',
      otp({ otp_type: 'zero_tap', supported_apps: [APP], zero_tap_terms_accepted: true }),
    ],
  ])('accepts %s', (_, input) => {
    expect(brokenFields(input)).toEqual([]);
  });

  it.each<[string, (over: 0 | 1) => DraftInput]>([
    [
      'components[1].limited_time_offer.text',
      (over) => marketing(BODY, offer({ text: x(16 + over) }), buttonsComponent(code(), link)),
    ],
    [
      'components[0].text',
      (over) => marketing({ type: 'BODY', text: x(600 + over) }, offer(), buttonsComponent(code(), link)),
    ],
    [
      'components[2].buttons[0].example',
      (over) => marketing(BODY, offer(), buttonsComponent(code(x(15 + over)), link)),
    ],
    ['components[1].buttons[0].example', (over) => marketing(BODY, buttonsComponent(code(x(20 + over))))],
    ['components[1].buttons[0].text', (over) => marketing(BODY, buttonsComponent(flow({ text: x(25 + over) })))],
    [
      'components[1].buttons[1]',
      (over) => marketing(BODY, buttonsComponent(flow(), ...(over ? [flow({ text: 'B' })] : []))),
    ],
    ['components[1].cards', (over) => inCarousel(...cards(2 - over))],
    ['components[1].cards', (over) => inCarousel(...cards(10 + over))],
    ['components[1].cards[0].components[1].text', (over) => inCarousel(card({ body: x(160 + over) }), card())],
    [
      'components[1].cards[0].components[2].buttons',
      (over) =>
        inCarousel(...[1, 2].map(() => card({ buttons: [quick('A'), quick('B'), ...(over ? [quick('C')] : [])] }))),
    ],
    [
      'components[1].buttons[0].supported_apps',
      (over) => otp({ supported_apps: Array.from({ length: 5 + over }, () => APP) }),
    ],
    ['components[1].buttons[0].autofill_text', (over) => otp({ ...APP, autofill_text: x(25 + over) })],
  ])("accepts a value at Meta's limit and rejects one above it, in %s", (field, make) => {
    expect(brokenFields(make(0))).toEqual([]);
    expect(brokenFields(make(1))).toContain(field);
  });

  it.each<[string, DraftInput, string[]]>([
    ['an offer of another category', draft('UTILITY', BODY, offer(), buttonsComponent(code(), link)), ['category']],
    ['a catalogue of another category', draft('UTILITY', BODY, buttonsComponent({ type: 'CATALOG' })), ['category']],
    [
      'an offer without a text',
      marketing(BODY, { type: 'LIMITED_TIME_OFFER' }, buttonsComponent(link)),
      ['components[1].limited_time_offer.text'],
    ],
    [
      'an offer with a footer',
      marketing(BODY, offer(), { type: 'FOOTER', text: 'Bye' }, buttonsComponent(code(), link)),
      ['components[2]'],
    ],
    [
      'an offer below a text header',
      marketing({ type: 'HEADER', text: 'Hi' }, BODY, offer(), buttonsComponent(code(), link)),
      ['components[0].format'],
    ],
    ['an offer without a link', marketing(BODY, offer(), buttonsComponent(code())), ['components[2].buttons']],
    ['an offer without buttons', marketing(BODY, offer({ has_expiration: false })), ['components']],
    ['an offer that ends, without a code', marketing(BODY, offer(), buttonsComponent(link)), ['components[2].buttons']],
    [
      'an offer whose code is last',
      marketing(BODY, offer(), buttonsComponent(link, code())),
      ['components[2].buttons'],
    ],
    [
      'an offer with a quick reply',
      marketing(BODY, offer(), buttonsComponent(code(), link, quick('No'))),
      ['components[2].buttons[2].type'],
    ],
    [
      'a catalog button with a quick reply',
      marketing(BODY, buttonsComponent({ type: 'CATALOG' }, quick('No'))),
      ['components[1].buttons[0]'],
    ],
    [
      'a Flow without an identifier',
      marketing(BODY, buttonsComponent(flow({ flow_id: undefined }))),
      ['components[1].buttons[0]'],
    ],
    ['a Flow of two names', marketing(BODY, buttonsComponent(flow({ flow_name: 'x' }))), ['components[1].buttons[0]']],
    [
      'a Flow with an unknown action',
      marketing(BODY, buttonsComponent(flow({ flow_action: 'x' }))),
      ['components[1].buttons[0].flow_action'],
    ],
    [
      'an image with two examples',
      marketing({ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['a', 'b'] } }, BODY),
      ['components[0].example'],
    ],
    [
      'a carousel with a footer',
      marketing(BODY, { type: 'FOOTER', text: 'Bye' }, carousel(...cards(2))),
      ['components[1]'],
    ],
    [
      'a card without a header',
      inCarousel(card(), { components: card().components.slice(1) }),
      ['components[1].cards[1].components', 'components[1].cards[1].components'],
    ],
    [
      'a card with another header format',
      inCarousel(card(), card({ header: { format: 'VIDEO', example: HANDLE } })),
      ['components[1].cards[1].components'],
    ],
    ['a card without a text', inCarousel(card(), card({ body: null })), ['components[1].cards[1].components']],
    [
      'a card with other buttons',
      inCarousel(card(), card({ buttons: [link, quick('More')] })),
      ['components[1].cards[1].components'],
    ],
    [
      'cards without an example',
      inCarousel(...[1, 2].map(() => card({ header: { format: 'IMAGE' } }))),
      ['components[1].cards[0].components[0].example', 'components[1].cards[1].components[0].example'],
    ],
    [
      'cards with a text header',
      inCarousel(...[1, 2].map(() => card({ header: { format: 'TEXT', text: 'x' } }))),
      ['components[1].cards[0].components[0].format', 'components[1].cards[1].components[0].format'],
    ],
    [
      'cards with a code',
      inCarousel(...[1, 2].map(() => card({ buttons: [code()] }))),
      ['components[1].cards[0].components[2].buttons[0].type', 'components[1].cards[1].components[2].buttons[0].type'],
    ],
    [
      'cards with named parameters and a body with numbered ones',
      marketing(
        { type: 'BODY', text: 'For {{1}} now' },
        carousel(...[1, 2].map(() => card({ body: 'Of {{what}} here' }))),
      ),
      ['components[1].cards[0].components[1].text'],
    ],
    [
      'an app without a name',
      otp({ supported_apps: [{ signature_hash: APP.signature_hash }] }),
      ['components[1].buttons[0].supported_apps[0].package_name'],
    ],
    ['an app with a short hash', otp({ ...APP, signature_hash: 'K8a' }), ['components[1].buttons[0].signature_hash']],
    [
      'terms that are not accepted',
      otp({ ...APP, otp_type: 'ZERO_TAP' }),
      ['components[1].buttons[0].zero_tap_terms_accepted'],
    ],
  ])('rejects %s', (_, input, fields) => {
    expect(brokenFields(input)).toEqual(fields);
  });

  it('keeps unknown fields and adds required samples, also in cards', () => {
    const more = { surprise: { deep: 1 } };
    const link = { type: 'url', text: 'Buy', url: 'https://example.com/{{1}}', ...more };
    const expected = { ...card({ body: 'Only {{1}} now', buttons: [link] }), ...more };
    const { components, stored } = checkDraft(
      marketing({ ...BODY, ...more }, { ...carousel(expected, expected), ...more }),
    );
    expect(components[0]).toEqual({ ...BODY, ...more });
    const [header, body] = expected.components;
    const wanted = {
      ...more,
      components: [
        header,
        { ...body, example: { body_text: [['sample 1']] } },
        { type: 'BUTTONS', buttons: [{ ...link, type: 'URL', example: ['https://example.com/sample'] }] },
      ],
    };
    expect(components[1]).toEqual({ type: 'CAROUSEL', cards: [wanted, wanted], ...more });
    expect(stored[1]).toMatchObject({ cards: [{ components: [header, body, { buttons: [{ type: 'URL' }] }] }, {}] });
  });
});
