import type { ShownButton, ShownTemplate } from '../../../carriers/content.js';
import { isRecord, type TemplateShape } from './components.js';
import type { Sent } from './renderer.js';

/** What was put into the parts of a template. */
interface Filled {
  headerText: string;
  /** What a header of media shows; null where it has none. */
  media: object | null;
  body: string;
  /** Of the buttons, in their order. */
  urls: readonly string[];
  parts: ReadonlyMap<string, Sent>;
}

/** The object of the media, place or product that a header was sent with; null without one. */
export function mediaOf(sent: Sent | undefined): object | null {
  const parameter = sent?.component.parameters?.[0];
  const media = parameter?.[parameter.type];
  return isRecord(media) ? media : null;
}

/** A template, or a card, as its recipient sees it. */
export function shownOf(shape: TemplateShape, { headerText, media, body, urls, parts }: Filled): ShownTemplate {
  const { header, footer, buttons, offer } = shape;
  const isText = header?.format === 'TEXT';
  return {
    ...(header && { header: { format: header.format, ...(isText ? { text: headerText } : media && { media }) } }),
    body,
    ...(footer !== '' && { footer }),
    ...(offer && { offer: { text: offer.text, ...expiresAt(parts.get('limited_time_offer')) } }),
    ...(buttons.length > 0 && {
      buttons: buttons.map(({ type, text }, index): ShownButton => {
        const url = urls[index];
        return { type, text, ...(url && { url }), ...codeOf(parts.get(`button ${index}`)) };
      }),
    }),
  };
}

function expiresAt(sent: Sent | undefined): { expiresAt?: string } {
  const offer = sent?.component.parameters?.[0]?.limited_time_offer;
  const time = isRecord(offer) ? offer.expiration_time_ms : undefined;
  const date = new Date(typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? {} : { expiresAt: date.toISOString() };
}

function codeOf(sent: Sent | undefined): { code?: string } {
  const code = sent?.component.parameters?.[0]?.coupon_code;
  return typeof code === 'string' ? { code } : {};
}
