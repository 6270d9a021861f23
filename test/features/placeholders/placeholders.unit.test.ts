import { describe, expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import {
  fillComponents,
  fillText,
  findUnknownPlaceholders,
  findVariables,
  hasEmptyText,
  listComponentTexts,
  MissingVariable,
  sampleComponents,
} from '../../../src/features/placeholders/placeholders.js';

const annContact = { ...UNSET_FIELDS, name: 'Ann', phone: '15005550111' };
const values = { contact: annContact, variables: { order: 'A-1', blank: ' ' } };

describe('placeholders of the fields of an account', () => {
  const fields = { plan: 'pro', seats: 12, active: false };
  const fill = (text: string) => fillText(text, { contact: { ...annContact, fields }, variables: {} });

  it.each([
    ['{{contact.fields.plan|basic}}', 'pro'],
    ['{{ contact.fields.seats }} {{contact.fields.active}}', '12 no'],
    ['{{contact.fields.city|somewhere}}', 'somewhere'],
    ['{{contact.fields.constructor}}|', '|'],
  ])('the text %s becomes %s', (text, expected) => {
    expect(fill(text)).toBe(expected);
  });

  it('a contact without fields gets the fallback', () => {
    expect(fillText('{{contact.fields.plan|basic}}', values)).toBe('basic');
  });

  it.each(['{{contact.fields}}', '{{contact.fields.Plan}}', '{{contact.fields.a b}}'])('%s is unknown', (text) => {
    expect(findUnknownPlaceholders(text)).toEqual([text]);
  });
});

describe('a text with placeholders', () => {
  it.each([
    ['Hello {{contact.name}}', 'Hello Ann'],
    ['{{ contact.phone }} {{contact.email}}.', '15005550111 .'],
    ['{{contact.name|there}} {{contact.email | no address }}', 'Ann no address'],
    ['{{contact.email|}}', ''],
    ['{{variables.order}} {{variables.order|your order}}', 'A-1 A-1'],
    ['{{variables.blank|nothing}} {{variables.absent|none}}', 'nothing none'],
    ['{{contact.email|a | b}}', 'a | b'],
    ['{{1}} {{contact.id}} {not one}', '{{1}} {{contact.id}} {not one}'],
  ])('a text with placeholders turns %s into %s', (text, filledText) => {
    expect(fillText(text, values)).toBe(filledText);
  });

  it('a text with placeholders does not expand placeholders in values', () => {
    const contact = { ...annContact, name: '{{contact.phone}}' };
    expect(fillText('{{contact.name}}', { ...values, contact })).toBe('{{contact.phone}}');
  });

  it('a text with placeholders requires variables that are used without a fallback', () => {
    expect(
      findVariables('{{variables.a}} {{variables.b|x}} {{variables.c|x}} {{variables.c}} {{contact.name}}'),
    ).toEqual(['a', 'c']);
    expect(() => fillText('{{variables.absent}}', values)).toThrow(MissingVariable);
  });

  it('a text with placeholders reports unknown placeholders', () => {
    const text = '{{contact.name|x}} {{contact.id|x}} {{variables.}} {{1}} {{}} {{variables.a b}}';
    expect(findUnknownPlaceholders(text)).toEqual([
      '{{contact.id|x}}',
      '{{variables.}}',
      '{{1}}',
      '{{}}',
      '{{variables.a b}}',
    ]);
  });
});

describe('double braces', () => {
  it.each([
    ['Hello {{contact.name', '{{contact.name'],
    ['Hello {{contact.name}, welcome', '{{contact.name}'],
    ['Hello contact.name}}', 'contact.name}}'],
    ['Hello {variables.order|your order}}', '{variables.order|your order}}'],
    ['{{contact.name}} and {{contact.email', '{{contact.email'],
    ['Hello {{', '{{'],
  ])('double braces are reported when unmatched in %j', (text, expectedText) => {
    expect(findUnknownPlaceholders(text)).toEqual([expectedText]);
  });

  it.each([
    '{a} } {',
    '{"a": {"b": 1}}',
    'f() {if (x) {y}}',
    '{{contact.name}} {"contact": {"name": "x"}}',
    ':-} }} {',
  ])('double braces are plain text in %j', (text) => {
    expect(findUnknownPlaceholders(text)).toEqual([]);
  });
});

describe('components with placeholders', () => {
  const createBody = (...texts: string[]) => [
    { type: 'body', parameters: texts.map((text) => ({ type: 'text', parameter_name: '{{contact.name}}', text })) },
  ];

  it('components with placeholders get values on one line, because Meta rejects parameters with line breaks, tabs or many spaces', () => {
    const variables = { message: ' Where\nis\t my      order? ' };
    const [component] = fillComponents(createBody('{{variables.message}}'), { contact: annContact, variables });
    expect(component?.parameters?.[0]).toEqual({
      type: 'text',
      parameter_name: '{{contact.name}}',
      text: 'Where is my order?',
    });
  });

  it('components with placeholders become empty through an empty value without fallback or surrounding text', () => {
    const isLeftEmpty = (text: string) => hasEmptyText(createBody(text), fillComponents(createBody(text), values));
    expect(isLeftEmpty('{{contact.email}}')).toBe(true);
    expect(isLeftEmpty('{{variables.blank}}')).toBe(true);
    expect(isLeftEmpty('{{contact.email|none}}')).toBe(false);
    expect(isLeftEmpty('at {{contact.email}}')).toBe(false);
    expect(isLeftEmpty('{{contact.name}}')).toBe(false);
  });

  it('components with placeholders get a sample, which is a link where a text starts with a placeholder', () => {
    const link = (text: string) => [{ type: 'header', parameters: [{ type: 'image', image: { link: text } }] }];
    const sample = (text: string) =>
      sampleComponents(link(text)).flatMap(({ parameters = [] }) => parameters.map(({ image }) => image));
    expect(sample('{{variables.picture}}')).toEqual([{ link: 'https://example.com/x' }]);
    expect(sample('https://example.com/{{contact.phone}}.png')).toEqual([{ link: 'https://example.com/x.png' }]);
    expect(sample('ftp://{{contact.phone}}')).toEqual([{ link: 'ftp://x' }]);
  });

  it('components with placeholders are filled in lists and carousel cards, keeping their structure', () => {
    const variables = { shirt: 'red-1' };
    const [name, bare] = ['{{contact.name}}', '{{variables.shirt}}'];
    const send = (text: string, id: string) => [
      {
        type: 'button',
        parameters: [{ type: 'action', action: { sections: [{ product_items: [{ product_retailer_id: id }] }] } }],
      },
      {
        type: 'carousel',
        cards: [{ card_index: 0, components: [{ type: 'body', parameters: [{ type: 'text', text }] }] }],
      },
    ];
    expect(fillComponents(send(name, bare), { contact: annContact, variables })).toEqual(
      send(annContact.name ?? '', 'red-1'),
    );
    expect(listComponentTexts(send(name, bare))).toEqual([
      { path: '[0].parameters[0].action.sections[0].product_items[0].product_retailer_id', text: bare },
      { path: '[1].cards[0].components[0].parameters[0].text', text: name },
    ]);
  });
});
