import { describe, expect, it } from 'vitest';
import { createCode, isCode } from '../../../src/features/links/shortening/codes.js';
import { shortenComponents } from '../../../src/features/links/shortening/shorten-template.js';
import { listOrigins, shortenText } from '../../../src/features/links/shortening/shorten-text.js';

const BASE = 'https://m.example/l/';

function shortener(...origins: string[]) {
  let count = 0;
  return {
    base: BASE,
    origins: new Set(origins.length > 0 ? origins : ['https://shop.example', 'http://shop.example']),
    createCode: () => `code${++count}`,
  };
}

describe('shortening the links of a text', () => {
  it.each([
    ['See https://shop.example/a?b=c#d.', `See ${BASE}code1.`, ['https://shop.example/a?b=c#d']],
    ['(https://shop.example/a)', `(${BASE}code1)`, ['https://shop.example/a']],
    ['https://shop.example/Hermes_(god) ok', `${BASE}code1 ok`, ['https://shop.example/Hermes_(god)']],
    [
      'HTTP://shop.example and https://shop.example/2',
      `${BASE}code1 and ${BASE}code2`,
      ['HTTP://shop.example', 'https://shop.example/2'],
    ],
    ['https://shop.example/x https://shop.example/x', `${BASE}code1 ${BASE}code1`, ['https://shop.example/x']],
    [
      'https://shop.example/?to=https://other.example',
      `${BASE}code1`,
      ['https://shop.example/?to=https://other.example'],
    ],
    ['😀https://shop.example/é。', `😀${BASE}code1。`, ['https://shop.example/é']],
  ])('replaces the links of %s', (text, shortened, targets) => {
    const result = shortenText(text, shortener());
    expect(result.text).toBe(shortened);
    expect(result.links.map(({ target }) => target)).toEqual(targets);
  });

  it.each([
    'https://evil.example/',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://user:secret@shop.example/',
    'ftp://shop.example/ javascript:alert(1) www.shop.example shop.example',
    `https://shop.example/${'x'.repeat(2_048)}`,
    'https://',
    `${BASE}h7Kd93Lq2Z`,
  ])('leaves %s as it is', (text) => {
    expect(shortenText(text, shortener('https://shop.example', 'https://m.example'))).toEqual({ text, links: [] });
  });

  it('shortens at most ten links', () => {
    const urls = Array.from({ length: 12 }, (_, index) => `https://shop.example/${index}`);
    const { text, links } = shortenText(urls.join(' '), shortener());
    expect(links).toHaveLength(10);
    expect(text.endsWith(`${BASE}code10 ${urls[10]} ${urls[11]}`)).toBe(true);
  });

  it('lists the origins of the texts of a sender', () => {
    const texts = ['Buy at https://shop.example:8443/{{contact.fields.id}}', 'or HTTP://Other.example.', 'https://'];
    expect([...listOrigins(texts)]).toEqual(['https://shop.example:8443', 'http://other.example']);
  });

  it('creates codes of ten letters and digits', () => {
    const codes = new Set(Array.from({ length: 1_000 }, createCode));
    expect(codes.size).toBe(1_000);
    expect([...codes].every(isCode)).toBe(true);
  });
});

describe('shortening the parameters of a template', () => {
  const template = [
    { type: 'BODY', text: 'See {{1}}' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Open', url: `${BASE}{{1}}` },
        { type: 'URL', text: 'Shop', url: 'https://shop.example/{{1}}' },
      ],
    },
  ];
  const button = (index: string, text: string) => ({
    ...{ type: 'button', sub_type: 'url', index },
    parameters: [{ type: 'text', text }],
  });

  it('shortens texts, and buttons whose URL is the base of short links', () => {
    const target = 'https://shop.example/offers';
    const sent = [
      { type: 'body', parameters: [{ type: 'text', text: `our shop: ${target}!` }] },
      button('0', target),
      button('1', target),
    ];
    const { components, links } = shortenComponents(template, sent, shortener());
    expect(links).toEqual([{ code: 'code1', target }]);
    expect(components).toEqual([
      { type: 'body', parameters: [{ type: 'text', text: `our shop: ${BASE}code1!` }] },
      button('0', 'code1'),
      button('1', target),
    ]);
  });

  it('leaves the URLs of files as they are', () => {
    const sent = [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.png' } }] }];
    expect(shortenComponents(template, sent, shortener())).toEqual({ components: sent, links: [] });
  });
});
