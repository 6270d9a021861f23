import { describe, expect, it } from 'vitest';
import { readTexts } from '../../../src/surfaces/graph/texts.js';

const parse = (body: unknown) => {
  readTexts(body);
  return body;
};

describe('values of a message that are sent as strings', () => {
  it('are parsed as JSON if they should be objects or lists, even nested ones', () => {
    const action = { buttons: [{ type: 'reply', reply: { id: 'a', title: 'constructor' } }] };
    expect(parse({ text: '{"body":"Hi"}', contacts: ' [{"name":{}}]' })).toEqual({
      text: { body: 'Hi' },
      contacts: [{ name: {} }],
    });
    const interactive = { type: 'button', body: '{"text":"Hi"}', action: JSON.stringify(action) };
    expect(parse({ interactive: JSON.stringify(interactive) })).toEqual({
      interactive: { type: 'button', body: { text: 'Hi' }, action },
    });
    expect(parse({ template: { language: '{"code":"de"}', components: '[]' } })).toEqual({
      template: { language: { code: 'de' }, components: [] },
    });
  });

  it('are parsed if they should be coordinates or booleans', () => {
    expect(
      parse({ location: { latitude: '37.442', longitude: '-122', name: '1' }, text: { preview_url: 'false' } }),
    ).toEqual({
      location: { latitude: 37.442, longitude: -122, name: '1' },
      text: { preview_url: false },
    });
    expect(parse({ text: { body: 'true', preview_url: 'true' } })).toEqual({
      text: { body: 'true', preview_url: true },
    });
  });

  it.each([
    { text: '{' },
    { text: 'Hi' },
    { text: { body: '{"a":1}' } },
    { to: '[1]', type: '{}' },
    { location: { latitude: '1e3', longitude: 'east' } },
    { text: { preview_url: 'yes' } },
    { text: '{"__proto__":{"body":"x"}}' },
    { text: '{"\\u005f_proto__":{"body":"x"}}' },
    { text: '{"constructor":{"prototype":{}}}' },
    { text: null, interactive: [], location: 3 },
    'text',
    null,
    [],
  ])('stay unchanged: %j', (body) => {
    expect(parse(structuredClone(body))).toEqual(body);
  });

  it('are refused if a body must not contain them', () => {
    expect(() => parse({ text: '{"body":"a\\u0000b"}' })).toThrow('text.body must not contain NUL');
    expect(() => parse({ text: '{"body":"\\ud800"}' })).toThrow('unpaired surrogates');
    const nestedList = `{"body":${'['.repeat(40)}${']'.repeat(40)}}`;
    expect(() => parse({ interactive: { action: nestedList } })).toThrow('nested deeper than 32');
    const deeplyNestedList = `{"body":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => parse({ interactive: { action: deeplyNestedList } })).not.toThrow(RangeError);
  });
});
