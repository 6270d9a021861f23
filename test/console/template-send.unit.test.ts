import { describe, expect, it } from 'vitest';
import { listSlots } from '../../console/src/shared/templates/template-parts.js';
import { buildComponents, locateParameter, readValues } from '../../console/src/shared/templates/template-send.js';
import { DEMO_TEMPLATES } from '../../src/features/demo/templates.js';
import { renderTemplate } from '../../src/messages/compose/template/render.js';

type Components = Readonly<Record<string, unknown>>[];

const BODY = { type: 'BODY', text: 'Look at this' };
const header = (format: string): Components => [{ type: 'HEADER', format }, BODY];
const button = (button: object): Components => [BODY, { type: 'BUTTONS', buttons: [button] }];

const VALUES: Readonly<Record<string, string>> = {
  text: 'x',
  link: 'https://example.com/a',
  code: 'SAVE10',
  time: '2030-01-01T12:00',
  place: '7',
  product: 'p1',
  products: 'p1, p2',
};

const TEMPLATES: [string, Components][] = [
  ...DEMO_TEMPLATES.map(({ name, language, components }): [string, Components] => [
    `${name} ${language}`,
    components as Components,
  ]),
  ['a location', header('LOCATION')],
  ['a document', header('DOCUMENT')],
  ['a product', header('PRODUCT')],
  ['products', button({ type: 'MPM', text: 'View items' })],
  ['parameters out of order', [{ type: 'BODY', text: 'First {{2}}, then {{1}} here' }]],
];

describe('sending a template with form values', () => {
  it.each(TEMPLATES)(
    'the values for %s produce components the server accepts, and can be read back',
    (_, components) => {
      const slots = listSlots(components);
      const values = Object.fromEntries(slots.map(({ id, kind }) => [id, VALUES[kind] ?? '']));
      const sentComponents = buildComponents(slots, values);
      expect(renderTemplate(components, sentComponents).problems).toEqual([]);
      const storedComponents = JSON.parse(JSON.stringify(sentComponents));
      expect(readValues(slots, storedComponents)).toEqual(values);
      for (const slot of slots) expect(locateParameter(sentComponents, slots, slot)).not.toBeNull();
    },
  );

  it('a slot on a carousel card is located by the card’s index', () => {
    const arrivals = DEMO_TEMPLATES.find(({ name }) => name === 'new_arrivals')?.components as Components;
    const slots = listSlots(arrivals);
    const slot = slots.find(({ id }) => id === 'card1.button1.1');
    const sentComponents = buildComponents(slots, {});
    expect(slot && locateParameter(sentComponents, slots, slot)?.path).toBe('[1].cards[1].components[2].parameters[0]');
    expect(slot && locateParameter([], slots, slot)).toBeNull();
  });
});
