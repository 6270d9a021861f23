import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';

const createText = (value: string, name?: string) => ({
  type: 'text',
  text: value,
  ...(name && { parameter_name: name }),
});
const createBody = (...parameters: { type: string }[]) => ({ type: 'body', parameters });
const numberedTemplate = [{ type: 'BODY', text: 'Order {{1}} ships on {{2}}.' }];
const namedTemplate = [{ type: 'BODY', text: 'Hello {{first_name}}, your code is {{code}}.' }];

describe('the rendered body of a template', () => {
  it('a body without parameters is its text', () => {
    const hello = [{ type: 'BODY', text: 'Hello World' }];
    expect(renderTemplate(hello, [])).toEqual({ body: 'Hello World', problems: [] });
    expect(renderTemplate(hello, [createBody()])).toEqual({ body: 'Hello World', problems: [] });
    expect(renderTemplate(hello, [{ type: 'body' }])).toEqual({ body: 'Hello World', problems: [] });
  });

  it('numbered parameters are used in order', () => {
    expect(renderTemplate(numberedTemplate, [createBody(createText('A-17'), createText('Monday'))])).toEqual({
      body: 'Order A-17 ships on Monday.',
      problems: [],
    });
  });

  it('a parameter is repeated for each placeholder with its number', () => {
    const template = [{ type: 'BODY', text: '{{2}} {{1}} {{2}}' }];
    expect(renderTemplate(template, [createBody(createText('a'), createText('b'))]).body).toBe('b a b');
  });

  it('named parameters are used by parameter_name, in any order', () => {
    expect(
      renderTemplate(namedTemplate, [createBody(createText('42', 'code'), createText('Ada', 'first_name'))]),
    ).toEqual({
      body: 'Hello Ada, your code is 42.',
      problems: [],
    });
  });

  it('placeholders and replacement patterns in values are not interpreted', () => {
    expect(renderTemplate(numberedTemplate, [createBody(createText('{{2}}'), createText("$& $1 $'"))])).toEqual({
      body: "Order {{2}} ships on $& $1 $'.",
      problems: [],
    });
  });

  it('a currency and a date use their fallback value', () => {
    const currency = { type: 'currency', currency: { fallback_value: '$10.99', code: 'USD', amount_1000: 10990 } };
    const date = { type: 'date_time', date_time: { fallback_value: 'May 1' } };
    expect(renderTemplate(numberedTemplate, [createBody(currency, date)])).toEqual({
      body: 'Order $10.99 ships on May 1.',
      problems: [],
    });
  });

  it('component types are accepted in upper and lower case', () => {
    expect(
      renderTemplate(numberedTemplate, [{ type: 'BODY', parameters: [createText('A'), createText('B')] }]).problems,
    ).toEqual([]);
  });

  it('a missing parameter leaves its placeholder', () => {
    expect(renderTemplate(numberedTemplate, [createBody(createText('A-17'))]).body).toBe('Order A-17 ships on {{2}}.');
  });
});

describe('template values that Meta refuses (132018)', () => {
  it.each(['two\nlines', 'two\r\nlines', 'a\ttab', 'five     blanks', 'end\n'])(
    '%j is reported as a problem',
    (value) => {
      const rule = 'must have no line breaks, no tabs and at most four consecutive spaces';
      expect(renderTemplate(numberedTemplate, [createBody(createText(value), createText('ok'))]).problems).toEqual([
        { field: 'components[0].parameters[0].text', rule },
      ]);
      const date = { type: 'date_time', date_time: { fallback_value: value } };
      expect(renderTemplate(numberedTemplate, [createBody(createText('ok'), date)]).problems).toEqual([
        { field: 'components[0].parameters[1].date_time.fallback_value', rule },
      ]);
    },
  );

  it('four consecutive spaces are allowed', () => {
    expect(renderTemplate(numberedTemplate, [createBody(createText('a    b'), createText('ok'))]).problems).toEqual([]);
  });
});

describe('problems of template parameters', () => {
  const listProblemFields = (template: unknown, components: Parameters<typeof renderTemplate>[1], root?: string) =>
    renderTemplate(template, components, root).problems.map((problem) => problem.field);

  it('a missing parameter is named by its placeholder', () => {
    expect(renderTemplate(numberedTemplate, [createBody(createText('A-17'))]).problems).toEqual([
      { field: 'components[0]', rule: "has no parameter for {{2}} of the template's body", kind: 'missing-parameter' },
    ]);
    expect(renderTemplate(namedTemplate, [createBody(createText('Ada', 'first_name'))]).problems).toEqual([
      {
        field: 'components[0]',
        rule: "has no parameter for {{code}} of the template's body",
        kind: 'missing-parameter',
      },
    ]);
  });

  it('every parameter of a missing component is named', () => {
    expect(renderTemplate(numberedTemplate, []).problems.map((problem) => `${problem.field} ${problem.rule}`)).toEqual([
      "components has no parameter for {{1}} of the template's body",
      "components has no parameter for {{2}} of the template's body",
    ]);
  });

  it('a surplus parameter is named by its path', () => {
    expect(
      renderTemplate(numberedTemplate, [createBody(createText('a'), createText('b'), createText('c'))]).problems,
    ).toEqual([
      {
        field: 'components[0].parameters[2]',
        rule: "is surplus: the template's body takes 2 parameters",
        kind: 'surplus-parameter',
      },
    ]);
    expect(
      listProblemFields(namedTemplate, [
        createBody(createText('x', 'first_name'), createText('y', 'code'), createText('z', 'other')),
      ]),
    ).toEqual(['components[0].parameters[2]']);
    expect(
      listProblemFields([{ type: 'BODY', text: 'Hello World' }], [{ type: 'header', parameters: [createText('a')] }]),
    ).toEqual(['components[0].parameters[0]']);
  });

  it('a parameter without a value or with a type that has no text is named', () => {
    expect(listProblemFields(numberedTemplate, [createBody(createText(''), createText(' \u00a0'))])).toEqual([
      'components[0].parameters[0].text',
      'components[0].parameters[1].text',
    ]);
    expect(listProblemFields(numberedTemplate, [createBody({ type: 'currency' }, { type: '__proto__' })])).toEqual([
      'components[0].parameters[0].currency.fallback_value',
      'components[0].parameters[1].type',
    ]);
  });

  it('a repeated or unknown component is named', () => {
    const components = [
      createBody(createText('a'), createText('b')),
      createBody(createText('a'), createText('b')),
      { type: 'footer' },
    ];
    expect(listProblemFields(numberedTemplate, components)).toEqual(['components[1]', 'components[2].type']);
  });

  it('problems start with the path that the caller passes', () => {
    expect(listProblemFields(numberedTemplate, [createBody(createText('a'))], 'template_data.components')).toEqual([
      'template_data.components[0]',
    ]);
  });
});

describe('a template header', () => {
  const createHeader = (...parameters: Parameters<typeof createBody>) => ({ type: 'header', parameters });

  it('a text header uses its parameter and is not part of the body', () => {
    const template = [
      { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' },
      { type: 'BODY', text: 'Welcome' },
      { type: 'FOOTER', text: 'Bye' },
    ];
    expect(renderTemplate(template, [createHeader(createText('Ada'))])).toMatchObject({
      body: 'Welcome',
      problems: [],
    });
    expect(renderTemplate(template, []).problems).toHaveLength(1);
  });

  it('an image header requires an image', () => {
    const template = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ];
    const image = { type: 'image', image: { link: 'https://example.com/a.png' } };
    expect(renderTemplate(template, [createHeader(image)]).problems).toEqual([]);
    expect(renderTemplate(template, []).problems[0]?.rule).toBe("has no image parameter for the template's header");
    expect(renderTemplate(template, [createHeader(createText('a'))]).problems).toHaveLength(1);
    expect(renderTemplate(template, [createHeader(image, image)]).problems[0]?.field).toBe(
      'components[0].parameters[1]',
    );
    expect(renderTemplate(template, [createHeader({ type: 'image' })]).problems).toEqual([
      { field: 'components[0].parameters[0]', rule: 'must be of type image and have an image' },
    ]);
  });

  it.each(['image', 'video', 'document'])('a %s header requires exactly one of id and link', (type) => {
    const template = [{ type: 'HEADER', format: type.toUpperCase() }];
    const findProblems = (media: unknown) =>
      renderTemplate(template, [createHeader({ type, [type]: media } as { type: string })]).problems;
    expect(findProblems({ id: '7' })).toEqual([]);
    expect(findProblems({ link: 'https://example.com/a' })).toEqual([]);
    for (const media of [{}, { id: '' }, { filename: 'a.pdf' }, { id: '7', link: 'https://example.com/a' }]) {
      expect(findProblems(media)).toEqual([
        { field: `components[0].parameters[0].${type}`, rule: 'must have either an id or a link' },
      ]);
    }
    expect(findProblems([])).toMatchObject([{ field: 'components[0].parameters[0]' }]);
    for (const link of ['ftp://example.com/a', 'example.com/a', 'https://', 'https://a b', 'javascript:x']) {
      expect(findProblems({ link })).toEqual([
        { field: `components[0].parameters[0].${type}.link`, rule: 'must be an http or https URL' },
      ]);
    }
  });

  it('a location header requires a location', () => {
    const template = [{ type: 'HEADER', format: 'LOCATION' }];
    const wrongLocation = { type: 'location', location: { latitude: 52.52, longitude: 13.405 } };
    expect(renderTemplate(template, [createHeader(wrongLocation)]).problems).toEqual([]);
    expect(renderTemplate(template, [createHeader({ type: 'location' })]).problems[0]?.rule).toBe(
      'must be of type location and have a location',
    );
  });
});

describe('a template button', () => {
  const template = [
    { type: 'BODY', text: 'Track it' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
        { type: 'URL', text: 'Home', url: 'https://example.com' },
        { type: 'PHONE_NUMBER', text: 'Call' },
      ],
    },
  ];
  const createUrlButton = (index: unknown, ...parameters: { type: string }[]) => ({
    type: 'button',
    sub_type: 'url',
    index,
    parameters,
  });
  const findProblems = (...components: Parameters<typeof renderTemplate>[1]) =>
    renderTemplate(template, components).problems;

  it('a button with a dynamic URL requires its suffix; its index may be a number or a text', () => {
    expect(findProblems(createUrlButton('1', createText('A-17')))).toEqual([]);
    expect(findProblems(createUrlButton(1, createText('A-17')))).toEqual([]);
    expect(findProblems()[0]?.rule).toBe("has no parameter for {{1}} of the template's button 1");
  });

  it('a button with a fixed URL or a phone number accepts no parameters', () => {
    expect(findProblems(createUrlButton(1, createText('a')), createUrlButton(2, createText('b')))[0]?.field).toBe(
      'components[1].parameters[0]',
    );
    const callButton = { type: 'button', sub_type: 'phone_number', index: 3, parameters: [createText('a')] };
    expect(findProblems(createUrlButton(1, createText('a')), callButton)[0]?.field).toBe('components[1].parameters[0]');
  });

  it('a button requires a valid index and its own sub_type', () => {
    expect(findProblems(createUrlButton(1, createText('a')), createUrlButton(4, createText('b')))[0]?.field).toBe(
      'components[1].index',
    );
    expect(
      findProblems(createUrlButton(1, createText('a')), createUrlButton(undefined, createText('b')))[0]?.field,
    ).toBe('components[1].index');
    expect(findProblems(createUrlButton(1, createText('a')), createUrlButton(0, createText('b')))[0]?.field).toBe(
      'components[1].sub_type',
    );
  });

  it('a quick-reply button may have a payload', () => {
    const stopButton = {
      type: 'button',
      sub_type: 'quick_reply',
      index: 0,
      parameters: [{ type: 'payload', payload: 'x' }],
    };
    expect(findProblems(createUrlButton(1, createText('a')), stopButton)).toEqual([]);
    expect(findProblems(createUrlButton(1, createText('a')), { ...stopButton, parameters: [] })).toEqual([]);
  });

  it('a quick-reply button accepts nothing but one payload', () => {
    const findPayloadProblems = (...parameters: { type: string }[]) =>
      findProblems(createUrlButton(1, createText('a')), {
        type: 'button',
        sub_type: 'quick_reply',
        index: 0,
        parameters,
      });
    const payload = { type: 'payload', payload: 'x' };
    expect(findPayloadProblems(createText('a'), createText('b'), createText('c')).map(({ field }) => field)).toEqual([
      'components[1].parameters[0].type',
      'components[1].parameters[1]',
      'components[1].parameters[2]',
    ]);
    expect(findPayloadProblems(payload, payload)).toEqual([
      {
        field: 'components[1].parameters[1]',
        rule: "is surplus: the template's button 0 takes one payload",
        kind: 'surplus-parameter',
      },
    ]);
    expect(findPayloadProblems({ type: 'payload' })).toEqual([
      {
        field: 'components[1].parameters[0].payload',
        rule: 'must be a text that is not blank',
      },
    ]);
  });

  it('a URL button accepts only a text parameter', () => {
    const price = { type: 'currency', currency: { fallback_value: '$1' } };
    expect(findProblems(createUrlButton(1, price))).toEqual([
      { field: 'components[0].parameters[0].type', rule: 'must be text' },
    ]);
  });

  it('a copy-code button requires the code', () => {
    const coupon = [{ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy' }] }];
    const createButton = (...parameters: { type: string }[]) => ({
      ...{ type: 'button', sub_type: 'copy_code', index: 0 },
      parameters,
    });
    const code = { type: 'coupon_code', coupon_code: 'SAVE10' };
    const listProblemFields = (...parameters: { type: string }[]) =>
      renderTemplate(coupon, [createButton(...parameters)]).problems.map(({ field }) => field);
    expect(renderTemplate(coupon, []).problems).toHaveLength(1);
    expect(listProblemFields()).toEqual(['components[0]']);
    expect(listProblemFields(code)).toEqual([]);
    expect(listProblemFields({ type: 'coupon_code' })).toEqual(['components[0].parameters[0].coupon_code']);
    expect(listProblemFields(createText('a'), createText('b'))).toEqual([
      'components[0].parameters[0].type',
      'components[0].parameters[1]',
    ]);
    expect(listProblemFields(code, code)).toEqual(['components[0].parameters[1]']);
  });
});

describe('a stored template in an unexpected format', () => {
  it('a stored template in an unexpected format is rendered as empty instead of failing', () => {
    for (const template of [null, {}, 'x', [null, 1, 'x'], [{ type: 5, text: 5 }]]) {
      expect(renderTemplate(template, [])).toEqual({ body: '', problems: [] });
    }
  });

  it('components of unknown types are passed on', () => {
    const carousel = [{ type: 'BODY', text: 'x' }, { type: 'CAROUSEL' }];
    expect(renderTemplate(carousel, [{ type: 'carousel', cards: [] }]).problems).toEqual([]);
  });
});
