import { describe, expect, it } from 'vitest';
import { carrierComponents } from '../../../src/messages/compose/template/carrier-components.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';

const body = { type: 'BODY', text: 'Hello' };
const flow = { type: 'FLOW', text: 'Open', flow_id: '1' };
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const buttons = (...list: object[]) => [body, { type: 'BUTTONS', buttons: list }];
const button = (subType: string, index: number, parameters?: object[]) => ({
  ...{ type: 'button', sub_type: subType, index: String(index) },
  ...(parameters && { parameters: parameters as { type: string }[] }),
});

describe('the components of a template as Meta takes them', () => {
  it('have one for a button that begins a Flow', () => {
    expect(carrierComponents(buttons(reply, flow), [])).toEqual([button('flow', 1)]);
    const given = [button('flow', 0, [{ type: 'action', action: { flow_token: 'a' } }])];
    expect(carrierComponents(buttons(flow), given)).toEqual(given);
    expect(carrierComponents(buttons(flow), [button('FLOW', 0, [])])).toEqual([button('FLOW', 0)]);
  });

  it('have one for such a button of a card', () => {
    const template = [
      body,
      { type: 'CAROUSEL', cards: [{ components: buttons(flow) }, { components: buttons(reply) }] },
    ];
    const card = (index: number, components: object[]) => ({ card_index: index, components });
    const sent = [{ type: 'carousel', cards: [card(0, []), card(1, [button('quick_reply', 0, [])])] }];
    expect(carrierComponents(template, sent)).toEqual([
      { type: 'carousel', cards: [card(0, [button('flow', 0)]), card(1, [])] },
    ]);
  });

  it('have none of another button that is given nothing', () => {
    const template = buttons(reply, { type: 'URL', text: 'Go', url: 'https://example.com' });
    for (const parameters of [undefined, []]) {
      const sent = [button('quick_reply', 0, parameters), button('url', 1, parameters)];
      expect(renderTemplate(template, sent).problems).toEqual([]);
      expect(carrierComponents(template, sent)).toEqual([]);
    }
    const payload = [button('quick_reply', 0, [{ type: 'payload', payload: 'yes' }])];
    expect(carrierComponents(template, payload)).toEqual(payload);
  });

  it('name each document that is sent by a link', () => {
    const template = [{ type: 'HEADER', format: 'DOCUMENT' }, body];
    const header = (document: object) => ({ type: 'header', parameters: [{ type: 'document', document }] });
    const link = 'https://example.com/files/Bill%2017.pdf?a=b';
    expect(carrierComponents(template, [header({ link })])).toEqual([header({ link, filename: 'Bill 17.pdf' })]);
    for (const filename of ['mine.pdf', 'mine']) {
      expect(carrierComponents(template, [header({ link, filename })])).toEqual([
        header({ link, filename: 'mine.pdf' }),
      ]);
    }
    expect(carrierComponents(template, [header({ id: '17' })])).toEqual([header({ id: '17' })]);
  });
});
