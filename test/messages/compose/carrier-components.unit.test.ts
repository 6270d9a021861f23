import { describe, expect, it } from 'vitest';
import { toCarrierComponents } from '../../../src/messages/compose/template/carrier-components.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';

const body = { type: 'BODY', text: 'Hello' };
const flow = { type: 'FLOW', text: 'Open', flow_id: '1' };
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const buttons = (...list: object[]) => [body, { type: 'BUTTONS', buttons: list }];
const button = (subType: string, index: number, parameters?: object[]) => ({
  ...{ type: 'button', sub_type: subType, index: String(index) },
  ...(parameters && { parameters: parameters as { type: string }[] }),
});

describe('template components for Meta', () => {
  it('a Flow button without parameters gets a component', () => {
    expect(toCarrierComponents(buttons(reply, flow), [])).toEqual([button('flow', 1)]);
    const flowComponents = [button('flow', 0, [{ type: 'action', action: { flow_token: 'a' } }])];
    expect(toCarrierComponents(buttons(flow), flowComponents)).toEqual(flowComponents);
    expect(toCarrierComponents(buttons(flow), [button('FLOW', 0, [])])).toEqual([button('FLOW', 0)]);
  });

  it('a Flow button of a card gets a component', () => {
    const template = [
      body,
      { type: 'CAROUSEL', cards: [{ components: buttons(flow) }, { components: buttons(reply) }] },
    ];
    const card = (index: number, components: object[]) => ({ card_index: index, components });
    const sent = [{ type: 'carousel', cards: [card(0, []), card(1, [button('quick_reply', 0, [])])] }];
    expect(toCarrierComponents(template, sent)).toEqual([
      { type: 'carousel', cards: [card(0, [button('flow', 0)]), card(1, [])] },
    ]);
  });

  it('other buttons without parameters are left out', () => {
    const template = buttons(reply, { type: 'URL', text: 'Go', url: 'https://example.com' });
    for (const parameters of [undefined, []]) {
      const sent = [button('quick_reply', 0, parameters), button('url', 1, parameters)];
      expect(renderTemplate(template, sent).problems).toEqual([]);
      expect(toCarrierComponents(template, sent)).toEqual([]);
    }
    const payload = [button('quick_reply', 0, [{ type: 'payload', payload: 'yes' }])];
    expect(toCarrierComponents(template, payload)).toEqual(payload);
  });

  it('every document sent by link gets a file name', () => {
    const template = [{ type: 'HEADER', format: 'DOCUMENT' }, body];
    const header = (document: object) => ({ type: 'header', parameters: [{ type: 'document', document }] });
    const link = 'https://example.com/files/Bill%2017.pdf?a=b';
    expect(toCarrierComponents(template, [header({ link })])).toEqual([header({ link, filename: 'Bill 17.pdf' })]);
    for (const filename of ['mine.pdf', 'mine']) {
      expect(toCarrierComponents(template, [header({ link, filename })])).toEqual([
        header({ link, filename: 'mine.pdf' }),
      ]);
    }
    expect(toCarrierComponents(template, [header({ id: '17' })])).toEqual([header({ id: '17' })]);
  });
});
