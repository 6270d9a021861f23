import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../src/features/templates/draft.js';
import type { DraftInput } from '../../../src/features/templates/draft-input.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const BODY = { type: 'BODY', text: 'Your order {{1}} is on its way.' };
const draft = (change: Partial<DraftInput> = {}): DraftInput => ({
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  components: [BODY],
  ...change,
});
const body = (text: string) => draft({ components: [{ type: 'BODY', text }] });
const buttons = (...made: { type: string; text?: string; url?: string; phone_number?: string }[]) =>
  draft({ components: [BODY, { type: 'BUTTONS', buttons: made }] });
const quick = (text: string) => ({ type: 'QUICK_REPLY', text });
const url = (text: string, at = 'https://example.com/{{1}}') => ({ type: 'URL', text, url: at });
const call = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+4930123456' };

/** The fields and rules that a draft breaks. */
function brokenBy(input: DraftInput): { field: string; rule: string }[] {
  try {
    checkDraft(input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [...error.fields];
  }
}

describe('a draft of a template', () => {
  it.each([
    ['begins with a parameter', body('{{1}} is on its way.'), 'components[0].text', /neither begin nor end/],
    ['ends with a parameter', body('On its way: {{name}} '), 'components[0].text', /neither begin nor end/],
    ['has adjoining parameters', body('Order {{1}}{{2}} is here.'), 'components[0].text', /words between/],
    ['has only a blank between', body('Order {{1}} \n{{2}} is here.'), 'components[0].text', /words between/],
    ['has four line ends', body('Hello\n\r\n\n\nAnn'), 'components[0].text', /four line ends/],
    ['has a tab', body('Hello\tAnn'), 'components[0].text', /no tab/],
    ['has five blanks', body('Hello     Ann'), 'components[0].text', /four blanks/],
    [
      'has two buttons of one text',
      buttons(quick('Yes'), quick('No'), quick('Yes')),
      'components[1].buttons[2].text',
      /differ/,
    ],
    [
      'has three links',
      buttons(url('A'), url('B'), url('C')),
      'components[1].buttons[2]',
      /more than 2 of the type URL/,
    ],
    ['has two calls', buttons(call, { ...call, text: 'Ring' }), 'components[1].buttons[1]', /more than 1 of the type/],
    [
      'mixes replies and links',
      buttons(quick('A'), url('B'), quick('C')),
      'components[1].buttons',
      /beside one another/,
    ],
    [
      'has a link with words after',
      buttons(url('A', 'https://x.example/{{1}}/y')),
      'components[1].buttons[0].url',
      /at the end/,
    ],
    [
      'has a header of two lines',
      draft({ components: [{ type: 'HEADER', text: 'a\nb' }, BODY] }),
      'components[0].text',
      /one line/,
    ],
    ['is in a language Meta has not', draft({ language: 'de_DE' }), 'language', /codes/],
    ['is in a language in another case', draft({ language: 'EN_us' }), 'language', /codes/],
  ])('that %s is refused', (_, input, field, rule) => {
    expect(brokenBy(input)).toEqual([{ field, rule: expect.stringMatching(rule) }]);
  });

  it.each([
    ['a parameter before a full stop', body('Hello {{1}}.')],
    ['words between parameters', body('Hello {{1}}, {{2}}!')],
    ['three line ends and four blanks', body('Hello\n\n\nAnn    Lee')],
    ['replies before links and calls', buttons(quick('A'), quick('B'), url('C'), url('D'), call)],
    ['links before replies', buttons(url('C', 'https://x.example'), quick('A'), quick('B'))],
    ['no text at all in common', buttons(quick('A'), quick('a'))],
    ['a language without a region', draft({ language: 'pt_BR' })],
  ])('with %s is taken', (_, input) => {
    expect(brokenBy(input)).toEqual([]);
  });
});

describe('a draft of an authentication template', () => {
  const code = { type: 'BUTTONS', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copy' }] };
  const auth = (...components: DraftInput['components']) => draft({ category: 'AUTHENTICATION', components });

  it("leaves the texts to Meta, and is held with Meta's, the code as the parameter of body and button", () => {
    const checked = checkDraft(
      auth({ type: 'body', add_security_recommendation: true }, { type: 'footer', code_expiration_minutes: 10 }, code),
    );
    expect(checked.components).toEqual([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ]);
    const parameters = [{ type: 'text', text: '123456' }];
    const sent = [
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: 0, parameters },
    ];
    expect(renderTemplate(checked.held, sent)).toEqual({
      body: '*123456* is your verification code. For your security, do not share this code.',
      problems: [],
    });
  });

  it.each([
    ['a body of its own', auth({ type: 'BODY', text: 'Your code is {{1}}.' }, code), 'components[0].text'],
    [
      'a footer of its own',
      auth({ type: 'BODY' }, { type: 'FOOTER', text: 'Bye', code_expiration_minutes: 1 }, code),
      'components[1].text',
    ],
    [
      'a footer without minutes',
      auth({ type: 'BODY' }, { type: 'FOOTER' }, code),
      'components[1].code_expiration_minutes',
    ],
    [
      'too many minutes',
      auth({ type: 'BODY' }, { type: 'FOOTER', code_expiration_minutes: 91 }, code),
      'components[1].code_expiration_minutes',
    ],
    ['a header', auth({ type: 'HEADER', text: 'Hi' }, { type: 'BODY' }, code), 'components[0].type'],
    ['no button', auth({ type: 'BODY' }), 'components'],
    ['another button', auth({ type: 'BODY' }, { type: 'BUTTONS', buttons: [quick('Yes')] }), 'components[1].buttons'],
  ])('with %s is refused', (_, input, field) => {
    expect(brokenBy(input).map((each) => each.field)).toEqual([field]);
  });
});
