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

const ann = { ...UNSET_FIELDS, name: 'Ann', phone: '15005550111' };
const values = { contact: ann, variables: { order: 'A-1', blank: ' ' } };

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
  ])('turns %s into %s', (text, filled) => {
    expect(fillText(text, values)).toBe(filled);
  });

  it('does not expand placeholders in values', () => {
    const contact = { ...ann, name: '{{contact.phone}}' };
    expect(fillText('{{contact.name}}', { ...values, contact })).toBe('{{contact.phone}}');
  });

  it('requires variables that are used without a fallback', () => {
    expect(
      findVariables('{{variables.a}} {{variables.b|x}} {{variables.c|x}} {{variables.c}} {{contact.name}}'),
    ).toEqual(['a', 'c']);
    expect(() => fillText('{{variables.absent}}', values)).toThrow(MissingVariable);
  });

  it('reports unknown placeholders', () => {
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
  ])('are reported when unmatched in %j', (text, written) => {
    expect(findUnknownPlaceholders(text)).toEqual([written]);
  });

  it.each([
    '{a} } {',
    '{"a": {"b": 1}}',
    'f() {if (x) {y}}',
    '{{contact.name}} {"contact": {"name": "x"}}',
    ':-} }} {',
  ])('are plain text in %j', (text) => {
    expect(findUnknownPlaceholders(text)).toEqual([]);
  });
});

describe('components with placeholders', () => {
  const body = (...texts: string[]) => [
    { type: 'body', parameters: texts.map((text) => ({ type: 'text', parameter_name: '{{contact.name}}', text })) },
  ];

  it('get values on one line, because Meta rejects parameters with line breaks, tabs or many spaces', () => {
    const variables = { message: ' Where\nis\t my      order? ' };
    const [component] = fillComponents(body('{{variables.message}}'), { contact: ann, variables });
    expect(component?.parameters?.[0]).toEqual({
      type: 'text',
      parameter_name: '{{contact.name}}',
      text: 'Where is my order?',
    });
  });

  it('become empty through an empty value without fallback or surrounding text', () => {
    const leftEmpty = (text: string) => hasEmptyText(body(text), fillComponents(body(text), values));
    expect(leftEmpty('{{contact.email}}')).toBe(true);
    expect(leftEmpty('{{variables.blank}}')).toBe(true);
    expect(leftEmpty('{{contact.email|none}}')).toBe(false);
    expect(leftEmpty('at {{contact.email}}')).toBe(false);
    expect(leftEmpty('{{contact.name}}')).toBe(false);
  });

  it('get a sample, which is a link where a text starts with a placeholder', () => {
    const link = (text: string) => [{ type: 'header', parameters: [{ type: 'image', image: { link: text } }] }];
    const sample = (text: string) =>
      sampleComponents(link(text)).flatMap(({ parameters = [] }) => parameters.map(({ image }) => image));
    expect(sample('{{variables.picture}}')).toEqual([{ link: 'https://example.com/x' }]);
    expect(sample('https://example.com/{{contact.phone}}.png')).toEqual([{ link: 'https://example.com/x.png' }]);
    expect(sample('ftp://{{contact.phone}}')).toEqual([{ link: 'ftp://x' }]);
  });

  it('are filled in lists and carousel cards, keeping their structure', () => {
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
    expect(fillComponents(send(name, bare), { contact: ann, variables })).toEqual(send(ann.name ?? '', 'red-1'));
    expect(listComponentTexts(send(name, bare))).toEqual([
      { path: '[0].parameters[0].action.sections[0].product_items[0].product_retailer_id', text: bare },
      { path: '[1].cards[0].components[0].parameters[0].text', text: name },
    ]);
  });
});
