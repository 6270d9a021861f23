import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../src/features/templates/draft/draft.js';
import type { ButtonInput, DraftInput } from '../../../src/features/templates/draft/input.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const BODY = { type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['7']] } };
const draft = (change: Partial<DraftInput> = {}): DraftInput => ({
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  components: [BODY],
  ...change,
});
const sample = (...values: unknown[]) => ({ body_text: [values] });
const namedSamples = (...names: string[]) => ({
  body_text_named_params: names.map((name) => ({ param_name: name, example: 'x' })),
});
const body = (text: string, example: Record<string, unknown> = sample('7')) =>
  draft({ components: [{ type: 'BODY', text, example }] });
const buttons = (...items: ButtonInput[]) => draft({ components: [BODY, { type: 'BUTTONS', buttons: items }] });
const quick = (text: string) => ({ type: 'QUICK_REPLY', text });
const url = (text: string, target = 'https://example.com/{{1}}') => ({
  type: 'URL',
  text,
  url: target,
  example: 'https://example.com/7',
});
const call = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+4930123456' };

function brokenRules(input: DraftInput): { field: string; rule: string }[] {
  try {
    checkDraft(input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [...error.fields];
  }
}

describe('a template draft', () => {
  it.each([
    ['begins with a parameter', body('{{1}} is on its way.'), 'components[0].text', /neither begin nor end/],
    [
      'ends with a parameter',
      body('On its way: {{name}} ', namedSamples('name')),
      'components[0].text',
      /neither begin nor end/,
    ],
    [
      'has adjoining parameters',
      body('Order {{1}}{{2}} is here.', sample('7', '8')),
      'components[0].text',
      /words between/,
    ],
    [
      'has only a space between parameters',
      body('Order {{1}} \n{{2}} is here.', sample('7', '8')),
      'components[0].text',
      /words between/,
    ],
    ['has too few samples', body('Hello {{1}}, {{2}} times', sample('7')), 'components[0].example', /"body_text"/],
    ['has a blank sample', body('Hello {{1}}, welcome', sample(' ')), 'components[0].example', /"body_text"/],
    [
      'has a sample in the wrong place',
      body('Hello {{1}}, hi', { body_text: ['7'] }),
      'components[0].example',
      /"body_text"/,
    ],
    [
      'lacks the sample of a named parameter',
      body('Hello {{name}}, {{age}} years', namedSamples('name')),
      'components[0].example',
      /"param_name": "age"/,
    ],
    [
      'has a header with a blank sample',
      draft({ components: [{ type: 'HEADER', text: 'For {{1}}', example: { header_text: [' '] } }, BODY] }),
      'components[0].example',
      /"header_text"/,
    ],
    [
      'has a link with a blank sample',
      buttons({ type: 'URL', text: 'A', url: 'https://x.example/{{1}}', example: ' ' }),
      'components[1].buttons[0].example',
      /sample of the URL/,
    ],
    [
      'has a code with an empty sample',
      buttons({ type: 'COPY_CODE', example: '' }),
      'components[1].buttons[0].example',
      /sample of the code/,
    ],
    [
      'has two buttons that differ only in case',
      buttons(quick('ΛΌΓΟΣ ja'), quick('λόγοσ JA')),
      'components[1].buttons[1].text',
      /more than case/,
    ],
    ['has four line breaks in a row', body('Hello\n\r\n\n\nAnn'), 'components[0].text', /four line breaks/],
    ['has a tab', body('Hello\tAnn'), 'components[0].text', /a tab/],
    ['has five spaces in a row', body('Hello     Ann'), 'components[0].text', /four spaces/],
    [
      'has two buttons with the same text',
      buttons(quick('Yes'), quick('No'), quick('Yes')),
      'components[1].buttons[2].text',
      /differ/,
    ],
    [
      'has three links',
      buttons(url('A'), url('B'), url('C')),
      'components[1].buttons[2]',
      /limit of 2 for buttons of type URL/,
    ],
    [
      'has two phone number buttons',
      buttons(call, { ...call, text: 'Ring' }),
      'components[1].buttons[1]',
      /limit of 1 for buttons of type/,
    ],
    [
      'mixes quick replies and links',
      buttons(quick('A'), url('B'), quick('C')),
      'components[1].buttons',
      /next to each other/,
    ],
    [
      'has a link with text after its parameter',
      buttons(url('A', 'https://x.example/{{1}}/y')),
      'components[1].buttons[0].url',
      /at the end/,
    ],
    [
      'has a header with two lines',
      draft({ components: [{ type: 'HEADER', text: 'a\nb' }, BODY] }),
      'components[0].text',
      /one line/,
    ],
    ['is in a language that Meta does not support', draft({ language: 'de_DE' }), 'language', /codes/],
    ['has a language code in the wrong case', draft({ language: 'EN_us' }), 'language', /codes/],
  ])('is rejected if it %s', (_, input, field, rule) => {
    expect(brokenRules(input)).toEqual([{ field, rule: expect.stringMatching(rule) }]);
  });

  it.each([
    ['a symbol after its parameter', body('Pay {{1}} €')],
    ['a full stop after its parameter', body('Hello {{1}}.')],
    ['no samples', body('Hello {{1}}, welcome', {})],
    ['punctuation between parameters', body('Hello {{1}}, {{2}} is here', sample('7', '8'))],
    ['named parameters', body('Hello {{name}}, hi', namedSamples('name'))],
    [
      'a header with a sample',
      draft({ components: [{ type: 'HEADER', text: 'For {{1}}', example: { header_text: ['Ann'] } }, BODY] }),
    ],
    ['three line breaks and four spaces', body('Hello\n\n\nAnn    Lee')],
    ['quick replies before links and phone numbers', buttons(quick('A'), quick('B'), url('C'), url('D'), call)],
    ['links before quick replies', buttons(url('C', 'https://x.example'), quick('A'), quick('B'))],
    ['only quick replies', buttons(quick('A'), quick('B'))],
    ['a language without a region', draft({ language: 'pt_BR' })],
  ])('is accepted with %s', (_, input) => {
    expect(brokenRules(input)).toEqual([]);
  });
});

describe('a template draft without samples', () => {
  it('is submitted with its parameter names as samples and stored unchanged', () => {
    const link = { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' };
    const components = [
      { type: 'HEADER', text: 'For {{customer}}' },
      { type: 'BODY', text: 'Order {{order}} of {{day}} leaves' },
      { type: 'BUTTONS', buttons: [link, { type: 'COPY_CODE' }, quick('Thanks')] },
    ];
    const checked = checkDraft(draft({ components }));
    expect(checked.components).toEqual([
      {
        ...components[0],
        format: 'TEXT',
        example: { header_text_named_params: [{ param_name: 'customer', example: 'customer' }] },
      },
      {
        ...components[1],
        example: {
          body_text_named_params: [
            { param_name: 'order', example: 'order' },
            { param_name: 'day', example: 'day' },
          ],
        },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { ...link, example: ['https://example.com/sample'] },
          { type: 'COPY_CODE', example: 'SAMPLE1' },
          quick('Thanks'),
        ],
      },
    ]);
    expect(checked.stored).toEqual([
      { ...components[0], format: 'TEXT' },
      components[1],
      { type: 'BUTTONS', buttons: [link, { type: 'COPY_CODE' }, quick('Thanks')] },
    ]);
    const numbered = checkDraft(draft({ components: [{ type: 'BODY', text: 'Order {{1}} of {{2}} leaves' }] }));
    expect(numbered.components).toMatchObject([{ example: { body_text: [['sample 1', 'sample 2']] } }]);
  });
});

describe('a draft of an authentication template', () => {
  const code = { type: 'BUTTONS', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copy' }] };
  const auth = (...components: DraftInput['components']) => draft({ category: 'AUTHENTICATION', components });

  it("is submitted without texts and stored with Meta's texts, with the code as parameter of body and button", () => {
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
    expect(renderTemplate(checked.stored, sent)).toMatchObject({
      body: '*123456* is your verification code. For your security, do not share this code.',
      problems: [],
    });
  });

  it.each([
    ['its own body text', auth({ type: 'BODY', text: 'Your code is {{1}}.' }, code), 'components[0].text'],
    [
      'its own footer text',
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
  ])('is rejected with %s', (_, input, field) => {
    expect(brokenRules(input).map((each) => each.field)).toEqual([field]);
  });
});
