import { describe, expect, it } from 'vitest';
import { toCarrierComponents } from '../../../src/messages/compose/template/carrier-components.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';

const body = { type: 'BODY', text: 'Hello' };
const flow = { type: 'FLOW', text: 'Open', flow_id: '1' };
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const createButtons = (...list: object[]) => [body, { type: 'BUTTONS', buttons: list }];
const createButton = (subType: string, index: number, parameters?: object[]) => ({
  ...{ type: 'button', sub_type: subType, index: String(index) },
  ...(parameters && { parameters: parameters as { type: string }[] }),
});

describe('template components for Meta', () => {
  it('a Flow button without parameters gets a component', () => {
    expect(toCarrierComponents(createButtons(reply, flow), [])).toEqual([createButton('flow', 1)]);
    const flowComponents = [createButton('flow', 0, [{ type: 'action', action: { flow_token: 'a' } }])];
    expect(toCarrierComponents(createButtons(flow), flowComponents)).toEqual(flowComponents);
    expect(toCarrierComponents(createButtons(flow), [createButton('FLOW', 0, [])])).toEqual([createButton('FLOW', 0)]);
  });

  it('a Flow button of a card gets a component', () => {
    const template = [
      body,
      { type: 'CAROUSEL', cards: [{ components: createButtons(flow) }, { components: createButtons(reply) }] },
    ];
    const createCard = (index: number, components: object[]) => ({ card_index: index, components });
    const submitted = [
      { type: 'carousel', cards: [createCard(0, []), createCard(1, [createButton('quick_reply', 0, [])])] },
    ];
    expect(toCarrierComponents(template, submitted)).toEqual([
      { type: 'carousel', cards: [createCard(0, [createButton('flow', 0)]), createCard(1, [])] },
    ]);
  });

  it('other buttons without parameters are left out', () => {
    const template = createButtons(reply, { type: 'URL', text: 'Go', url: 'https://example.com' });
    for (const parameters of [undefined, []]) {
      const submitted = [createButton('quick_reply', 0, parameters), createButton('url', 1, parameters)];
      expect(renderTemplate(template, submitted).problems).toEqual([]);
      expect(toCarrierComponents(template, submitted)).toEqual([]);
    }
    const payload = [createButton('quick_reply', 0, [{ type: 'payload', payload: 'yes' }])];
    expect(toCarrierComponents(template, payload)).toEqual(payload);
  });

  it('every document sent by link gets a file name', () => {
    const template = [{ type: 'HEADER', format: 'DOCUMENT' }, body];
    const createHeader = (document: object) => ({ type: 'header', parameters: [{ type: 'document', document }] });
    const link = 'https://example.com/files/Bill%2017.pdf?a=b';
    expect(toCarrierComponents(template, [createHeader({ link })])).toEqual([
      createHeader({ link, filename: 'Bill 17.pdf' }),
    ]);
    for (const filename of ['mine.pdf', 'mine']) {
      expect(toCarrierComponents(template, [createHeader({ link, filename })])).toEqual([
        createHeader({ link, filename: 'mine.pdf' }),
      ]);
    }
    expect(toCarrierComponents(template, [createHeader({ id: '17' })])).toEqual([createHeader({ id: '17' })]);
  });
});
