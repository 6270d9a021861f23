import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../src/features/templates/draft/draft.js';
import type { ButtonInput, DraftInput } from '../../../src/features/templates/draft/input.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const BODY = { type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['7']] } };
const createDraft = (overrides: Partial<DraftInput> = {}): DraftInput => ({
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  components: [BODY],
  ...overrides,
});
const sample = (...values: unknown[]) => ({ body_text: [values] });
const createNamedSamples = (...names: string[]) => ({
  body_text_named_params: names.map((name) => ({ param_name: name, example: 'x' })),
});
const createBody = (text: string, example: Record<string, unknown> = sample('7')) =>
  createDraft({ components: [{ type: 'BODY', text, example }] });
const createButtonsDraft = (...items: ButtonInput[]) =>
  createDraft({ components: [BODY, { type: 'BUTTONS', buttons: items }] });
const createQuickReply = (text: string) => ({ type: 'QUICK_REPLY', text });
const createUrlButton = (text: string, target = 'https://example.com/{{1}}') => ({
  type: 'URL',
  text,
  url: target,
  example: 'https://example.com/7',
});
const callButton = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+4930123456' };

function listBrokenRules(input: DraftInput): { field: string; rule: string }[] {
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
    ['begins with a parameter', createBody('{{1}} is on its way.'), 'components[0].text', /neither begin nor end/],
    [
      'ends with a parameter',
      createBody('On its way: {{name}} ', createNamedSamples('name')),
      'components[0].text',
      /neither begin nor end/,
    ],
    [
      'has adjoining parameters',
      createBody('Order {{1}}{{2}} is here.', sample('7', '8')),
      'components[0].text',
      /words between/,
    ],
    [
      'has only a space between parameters',
      createBody('Order {{1}} \n{{2}} is here.', sample('7', '8')),
      'components[0].text',
      /words between/,
    ],
    [
      'has too few samples',
      createBody('Hello {{1}}, {{2}} times', sample('7')),
      'components[0].example',
      /"body_text"/,
    ],
    ['has a blank sample', createBody('Hello {{1}}, welcome', sample(' ')), 'components[0].example', /"body_text"/],
    [
      'has a sample in the wrong place',
      createBody('Hello {{1}}, hi', { body_text: ['7'] }),
      'components[0].example',
      /"body_text"/,
    ],
    [
      'lacks the sample of a named parameter',
      createBody('Hello {{name}}, {{age}} years', createNamedSamples('name')),
      'components[0].example',
      /"param_name": "age"/,
    ],
    [
      'has a header with a blank sample',
      createDraft({ components: [{ type: 'HEADER', text: 'For {{1}}', example: { header_text: [' '] } }, BODY] }),
      'components[0].example',
      /"header_text"/,
    ],
    [
      'has a link with a blank sample',
      createButtonsDraft({ type: 'URL', text: 'A', url: 'https://x.example/{{1}}', example: ' ' }),
      'components[1].buttons[0].example',
      /sample of the URL/,
    ],
    [
      'has a code with an empty sample',
      createButtonsDraft({ type: 'COPY_CODE', example: '' }),
      'components[1].buttons[0].example',
      /sample of the code/,
    ],
    [
      'has two buttons that differ only in case',
      createButtonsDraft(createQuickReply('ΛΌΓΟΣ ja'), createQuickReply('λόγοσ JA')),
      'components[1].buttons[1].text',
      /more than case/,
    ],
    ['has four line breaks in a row', createBody('Hello\n\r\n\n\nAnn'), 'components[0].text', /four line breaks/],
    ['has a tab', createBody('Hello\tAnn'), 'components[0].text', /a tab/],
    ['has five spaces in a row', createBody('Hello     Ann'), 'components[0].text', /four spaces/],
    [
      'has two buttons with the same text',
      createButtonsDraft(createQuickReply('Yes'), createQuickReply('No'), createQuickReply('Yes')),
      'components[1].buttons[2].text',
      /differ/,
    ],
    [
      'has three links',
      createButtonsDraft(createUrlButton('A'), createUrlButton('B'), createUrlButton('C')),
      'components[1].buttons[2]',
      /limit of 2 for buttons of type URL/,
    ],
    [
      'has two phone number buttons',
      createButtonsDraft(callButton, { ...callButton, text: 'Ring' }),
      'components[1].buttons[1]',
      /limit of 1 for buttons of type/,
    ],
    [
      'mixes quick replies and links',
      createButtonsDraft(createQuickReply('A'), createUrlButton('B'), createQuickReply('C')),
      'components[1].buttons',
      /next to each other/,
    ],
    [
      'has a link with text after its parameter',
      createButtonsDraft(createUrlButton('A', 'https://x.example/{{1}}/y')),
      'components[1].buttons[0].url',
      /at the end/,
    ],
    [
      'has a header with two lines',
      createDraft({ components: [{ type: 'HEADER', text: 'a\nb' }, BODY] }),
      'components[0].text',
      /one line/,
    ],
    ['is in a language that Meta does not support', createDraft({ language: 'de_DE' }), 'language', /codes/],
    ['has a language code in the wrong case', createDraft({ language: 'EN_us' }), 'language', /codes/],
  ])('a template draft is rejected if it %s', (_, input, field, rule) => {
    expect(listBrokenRules(input)).toEqual([{ field, rule: expect.stringMatching(rule) }]);
  });

  it.each([
    ['a symbol after its parameter', createBody('Pay {{1}} €')],
    ['a full stop after its parameter', createBody('Hello {{1}}.')],
    ['no samples', createBody('Hello {{1}}, welcome', {})],
    ['punctuation between parameters', createBody('Hello {{1}}, {{2}} is here', sample('7', '8'))],
    ['named parameters', createBody('Hello {{name}}, hi', createNamedSamples('name'))],
    [
      'a header with a sample',
      createDraft({ components: [{ type: 'HEADER', text: 'For {{1}}', example: { header_text: ['Ann'] } }, BODY] }),
    ],
    ['three line breaks and four spaces', createBody('Hello\n\n\nAnn    Lee')],
    [
      'quick replies before links and phone numbers',
      createButtonsDraft(
        createQuickReply('A'),
        createQuickReply('B'),
        createUrlButton('C'),
        createUrlButton('D'),
        callButton,
      ),
    ],
    [
      'links before quick replies',
      createButtonsDraft(createUrlButton('C', 'https://x.example'), createQuickReply('A'), createQuickReply('B')),
    ],
    ['only quick replies', createButtonsDraft(createQuickReply('A'), createQuickReply('B'))],
    ['a language without a region', createDraft({ language: 'pt_BR' })],
  ])('a template draft is accepted with %s', (_, input) => {
    expect(listBrokenRules(input)).toEqual([]);
  });
});

describe('a template draft without samples', () => {
  it('a template draft without samples is submitted with its parameter names as samples and stored unchanged', () => {
    const link = { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' };
    const components = [
      { type: 'HEADER', text: 'For {{customer}}' },
      { type: 'BODY', text: 'Order {{order}} of {{day}} leaves' },
      { type: 'BUTTONS', buttons: [link, { type: 'COPY_CODE' }, createQuickReply('Thanks')] },
    ];
    const checkedDraft = checkDraft(createDraft({ components }));
    expect(checkedDraft.components).toEqual([
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
          createQuickReply('Thanks'),
        ],
      },
    ]);
    expect(checkedDraft.stored).toEqual([
      { ...components[0], format: 'TEXT' },
      components[1],
      { type: 'BUTTONS', buttons: [link, { type: 'COPY_CODE' }, createQuickReply('Thanks')] },
    ]);
    const numberedDraft = checkDraft(
      createDraft({ components: [{ type: 'BODY', text: 'Order {{1}} of {{2}} leaves' }] }),
    );
    expect(numberedDraft.components).toMatchObject([{ example: { body_text: [['sample 1', 'sample 2']] } }]);
  });
});

describe('a draft of an authentication template', () => {
  const code = { type: 'BUTTONS', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copy' }] };
  const createAuthentication = (...components: DraftInput['components']) =>
    createDraft({ category: 'AUTHENTICATION', components });

  it("a draft of an authentication template is submitted without texts and stored with Meta's texts, with the code as parameter of body and button", () => {
    const checkedDraft = checkDraft(
      createAuthentication(
        { type: 'body', add_security_recommendation: true },
        { type: 'footer', code_expiration_minutes: 10 },
        code,
      ),
    );
    expect(checkedDraft.components).toEqual([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ]);
    const parameters = [{ type: 'text', text: '123456' }];
    const components = [
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: 0, parameters },
    ];
    expect(renderTemplate(checkedDraft.stored, components)).toMatchObject({
      body: '*123456* is your verification code. For your security, do not share this code.',
      problems: [],
    });
  });

  it.each([
    [
      'its own body text',
      createAuthentication({ type: 'BODY', text: 'Your code is {{1}}.' }, code),
      'components[0].text',
    ],
    [
      'its own footer text',
      createAuthentication({ type: 'BODY' }, { type: 'FOOTER', text: 'Bye', code_expiration_minutes: 1 }, code),
      'components[1].text',
    ],
    [
      'a footer without minutes',
      createAuthentication({ type: 'BODY' }, { type: 'FOOTER' }, code),
      'components[1].code_expiration_minutes',
    ],
    [
      'too many minutes',
      createAuthentication({ type: 'BODY' }, { type: 'FOOTER', code_expiration_minutes: 91 }, code),
      'components[1].code_expiration_minutes',
    ],
    ['a header', createAuthentication({ type: 'HEADER', text: 'Hi' }, { type: 'BODY' }, code), 'components[0].type'],
    ['no button', createAuthentication({ type: 'BODY' }), 'components'],
    [
      'another button',
      createAuthentication({ type: 'BODY' }, { type: 'BUTTONS', buttons: [createQuickReply('Yes')] }),
      'components[1].buttons',
    ],
  ])('a draft of an authentication template is rejected with %s', (_, input, field) => {
    expect(listBrokenRules(input).map((problem) => problem.field)).toEqual([field]);
  });
});
