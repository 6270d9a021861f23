import type { ShownButton, ShownTemplate } from '../../../carriers/content.js';
import { isRecord, type TemplateShape } from './components.js';
import type { SentComponent } from './renderer.js';

interface RenderedParts {
  headerText: string;
  media: object | null;
  body: string;
  /** One per button. */
  urls: readonly string[];
  parts: ReadonlyMap<string, SentComponent>;
}

export function readHeaderMedia(sent: SentComponent | undefined): object | null {
  const parameter = sent?.component.parameters?.[0];
  const media = parameter?.[parameter.type];
  return isRecord(media) ? media : null;
}

export function buildShownTemplate(
  shape: TemplateShape,
  { headerText, media, body, urls, parts }: RenderedParts,
): ShownTemplate {
  const { header, footer, buttons, offer } = shape;
  const isText = header?.format === 'TEXT';
  return {
    ...(header && { header: { format: header.format, ...(isText ? { text: headerText } : media && { media }) } }),
    body,
    ...(footer !== '' && { footer }),
    ...(offer && { offer: { text: offer.text, ...readExpiry(parts.get('limited_time_offer')) } }),
    ...(buttons.length > 0 && {
      buttons: buttons.map(({ type, text }, index): ShownButton => {
        const url = urls[index];
        return { type, text, ...(url && { url }), ...readCode(parts.get(`button ${index}`)) };
      }),
    }),
  };
}

function readExpiry(sent: SentComponent | undefined): { expiresAt?: string } {
  const offer = sent?.component.parameters?.[0]?.limited_time_offer;
  const time = isRecord(offer) ? offer.expiration_time_ms : undefined;
  const date = new Date(typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? {} : { expiresAt: date.toISOString() };
}

function readCode(sent: SentComponent | undefined): { code?: string } {
  const code = sent?.component.parameters?.[0]?.coupon_code;
  return typeof code === 'string' ? { code } : {};
}
