import type { Template } from '../../api/templates.js';
import { readExamples } from '../../shared/templates/template-parts.js';
import {
  asList,
  asRecord,
  asText,
  type Components,
  findComponent,
  listCards,
  readTemplate,
} from '../../shared/templates/template-view.js';

export type HeaderFormat = 'NONE' | 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'LOCATION' | 'PRODUCT';

type Fields = Readonly<Record<string, unknown>>;

export interface ButtonFields {
  /** Only for React. */
  key: number;
  type: string;
  text: string;
  url: string;
  phone: string;
  /** ID of a Flow. */
  flow: string;
  /** Fields of the button that the form does not edit. */
  rest: Fields;
}

export interface CardFields {
  /** Only for React. */
  key: number;
  example: string;
  body: string;
  buttons: ButtonFields[];
  /** Original components, which keep the fields that the form does not edit. */
  original: Components;
}

export interface DraftFields {
  name: string;
  language: string;
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION';
  layout: 'PLAIN' | 'OFFER' | 'CAROUSEL';
  headerFormat: HeaderFormat;
  headerText: string;
  /** Upload handle or link of the header's example file. */
  headerExample: string;
  body: string;
  footer: string;
  buttons: ButtonFields[];
  offerText: string;
  offerEnds: boolean;
  /** Cards of the carousel, which all have the same header format. */
  cards: CardFields[];
  cardFormat: string;
  /** Examples by slot: `body.1`, `header.1`, `button0.1`, `card0.body.1`. */
  examples: Record<string, string>;
  /** Original components, which keep the fields that the form does not edit. */
  original: Components;
  /** This field and all fields after it are only for the category `AUTHENTICATION`. */
  advice: boolean;
  expires: number;
  otpType: 'COPY_CODE' | 'ONE_TAP' | 'ZERO_TAP';
  packageName: string;
  signatureHash: string;
  termsAccepted: boolean;
}

let lastKey = 0;
export function newButton(fields: Partial<ButtonFields> = {}): ButtonFields {
  lastKey += 1;
  return { key: lastKey, type: 'QUICK_REPLY', text: '', url: '', phone: '', flow: '', rest: {}, ...fields };
}

export function newCard(fields: Partial<CardFields> = {}): CardFields {
  lastKey += 1;
  return { key: lastKey, example: '', body: '', buttons: [newButton()], original: [], ...fields };
}

export const EMPTY: DraftFields = {
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  layout: 'PLAIN',
  headerFormat: 'NONE',
  headerText: '',
  headerExample: '',
  body: '',
  footer: '',
  buttons: [],
  offerText: '',
  offerEnds: true,
  cards: [],
  cardFormat: 'IMAGE',
  examples: {},
  original: [],
  advice: true,
  expires: 10,
  otpType: 'COPY_CODE',
  packageName: '',
  signatureHash: '',
  termsAccepted: false,
};

/** Authentication templates cannot be edited, because they contain Meta's text instead of the form's options. */
export function canBeEdited({ category }: Template): boolean {
  return category !== 'AUTHENTICATION';
}

export function toFields({ name, language, category, components }: Template): DraftFields {
  const { header, body, footer, offer } = readTemplate(components);
  const cards = listCards(components);
  return {
    ...EMPTY,
    name,
    language,
    category: category as DraftFields['category'],
    layout: offer ? 'OFFER' : cards.length > 0 ? 'CAROUSEL' : 'PLAIN',
    headerFormat: (header?.format as HeaderFormat | undefined) ?? 'NONE',
    headerText: header?.text ?? '',
    headerExample: readFileExample(components),
    body,
    footer,
    buttons: readButtons(components),
    offerText: offer?.text ?? '',
    offerEnds: offer?.ends ?? true,
    cards: cards.map((original) =>
      newCard({
        example: readFileExample(original),
        body: readTemplate(original).body,
        buttons: readButtons(original),
        original,
      }),
    ),
    cardFormat: readTemplate(cards[0] ?? []).header?.format ?? 'IMAGE',
    examples: readExamples(components),
    original: components,
  };
}

function readFileExample(components: Components): string {
  const { header_handle: handles } = asRecord(findComponent(components, 'HEADER')?.example);
  return asText(Array.isArray(handles) ? handles[0] : handles);
}

function readButtons(components: Components): ButtonFields[] {
  return asList(findComponent(components, 'BUTTONS')?.buttons).map((stored) => {
    const { type, text, url, phone_number, flow_id, example: _example, ...rest } = asRecord(stored);
    return newButton({
      ...{ type: asText(type).toUpperCase(), text: asText(text), url: asText(url), rest },
      ...{ phone: asText(phone_number), flow: asText(flow_id) },
    });
  });
}
