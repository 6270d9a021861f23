import type { ShownTemplate } from '../../../../src/carriers/content.js';
import { fillPlaceholders, listPlaceholderKeys } from '../../../../src/carriers/template-placeholders.js';

/** A template's components in Meta's format. */
export type Components = readonly Readonly<Record<string, unknown>>[];

export interface TemplateButton {
  type: string;
  text: string;
  url: string;
  phoneNumber: string;
  /** Code to copy, empty if unknown. */
  code: string;
}

export interface TemplateView {
  header: { format: string; text: string /** Description of the file or location. */; about: string } | null;
  body: string;
  footer: string;
  buttons: readonly TemplateButton[];
  offer: { text: string; ends: boolean; endsAt: string } | null;
  /** Empty without a carousel. */
  cards: readonly TemplateView[];
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export function findComponent(components: Components, type: string): Record<string, unknown> | undefined {
  return components.find((component) => asText(component.type).toUpperCase() === type);
}

export function listCards(components: Components): Components[] {
  return asList(findComponent(components, 'CAROUSEL')?.cards).map((card) =>
    asList(asRecord(card).components).map(asRecord),
  );
}

export function readTemplate(components: Components): TemplateView {
  const header = findComponent(components, 'HEADER');
  const offer = findComponent(components, 'LIMITED_TIME_OFFER');
  const offerFields = asRecord(offer?.limited_time_offer);
  return {
    header: header
      ? { format: (asText(header.format) || 'TEXT').toUpperCase(), text: asText(header.text), about: '' }
      : null,
    body: asText(findComponent(components, 'BODY')?.text),
    footer: asText(findComponent(components, 'FOOTER')?.text),
    buttons: asList(findComponent(components, 'BUTTONS')?.buttons).map((button) => {
      const { type, text, url, phone_number } = asRecord(button);
      return {
        type: asText(type).toUpperCase(),
        text: asText(text),
        url: asText(url),
        phoneNumber: asText(phone_number),
        code: '',
      };
    }),
    offer: offer ? { text: asText(offerFields.text), ends: offerFields.has_expiration === true, endsAt: '' } : null,
    cards: listCards(components).map(readTemplate),
  };
}

/** Returns null if the message's content was not stored. */
export function toView(shown: unknown): TemplateView | null {
  const { body, header, footer, buttons = [], offer, cards = [] } = asRecord(shown) as Partial<ShownTemplate>;
  if (body === undefined) return null;
  const media = asRecord(header?.media);
  const about = [media.filename, media.name, media.address, media.product_retailer_id].map(asText).filter(Boolean);
  return {
    header: header ? { format: header.format, text: header.text ?? '', about: about.join(', ') } : null,
    body,
    footer: footer ?? '',
    buttons: buttons.map(({ type, text, url = '', code = '' }) => ({ type, text, url, code, phoneNumber: '' })),
    offer: offer ? { text: offer.text, ends: offer.expiresAt !== undefined, endsAt: offer.expiresAt ?? '' } : null,
    cards: cards.flatMap((card) => toView(card) ?? []),
  };
}

type Values = Readonly<Record<string, string>>;

/** @param prefix prefix of slot IDs within a card */
export function fillView(view: TemplateView, values: Values, prefix = ''): TemplateView {
  const { header, body, buttons, offer, cards } = view;
  const about = ['name', 'address', 'product_retailer_id'].map((key) => values[`${prefix}header.${key}`]?.trim());
  return {
    ...view,
    header: header && {
      ...header,
      text: fillText(header.text, `${prefix}header`, values),
      about: about.filter(Boolean).join(', ') || header.about,
    },
    body: fillText(body, `${prefix}body`, values),
    buttons: buttons.map((button, index) => ({
      ...button,
      url: fillText(button.url, `${prefix}button${index}`, values),
      code: values[`${prefix}button${index}`]?.trim() ?? button.code,
    })),
    offer: offer && { ...offer, endsAt: values[`${prefix}offer`] ?? offer.endsAt },
    cards: cards.map((card, index) => fillView(card, values, `card${index}.`)),
  };
}

export function fillText(text: string, prefix: string, values: Values): string {
  const filled = listPlaceholderKeys(text).flatMap((key) => {
    const value = values[`${prefix}.${key}`];
    return value ? ([[key, value]] as const) : [];
  });
  return fillPlaceholders(text, new Map(filled));
}
