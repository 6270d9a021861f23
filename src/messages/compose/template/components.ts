/** A button of a template, as Meta's Cloud API describes it. */
export interface TemplateButton {
  /** `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE` and others. */
  type: string;
  text: string;
  url: string;
}

/** The parts of a template, or of a card of its carousel, that take parameters or show text. */
export interface TemplateShape {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  buttons: readonly TemplateButton[];
  /** A limited-time offer. */
  offer: { text: string; expires: boolean } | null;
  /** The cards of a carousel; null without one. */
  cards: readonly TemplateShape[] | null;
  /** Lower-case types of the components that are passed on without a look into them. */
  otherTypes: ReadonlySet<string>;
}

const LOOKED_INTO = ['header', 'body', 'footer', 'buttons'];

/** An object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/**
 * Reads the components of a stored template: Meta's `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS"|"LIMITED_TIME_OFFER"|"CAROUSEL",
 * ...}]`. What does not have that form is passed over, for a carrier's templates are not ours to refuse.
 */
export function readComponents(components: unknown): TemplateShape {
  const records = recordsOf(components);
  const byType = new Map(records.map((record) => [textOf(record.type).toLowerCase(), record]));
  const header = byType.get('header');
  const offer = byType.get('limited_time_offer')?.limited_time_offer;
  const cards = byType.get('carousel')?.cards;
  const lookedInto = [
    ...LOOKED_INTO,
    ...(Array.isArray(cards) ? ['carousel'] : []),
    ...(isRecord(offer) ? ['limited_time_offer'] : []),
  ];
  return {
    header: header ? { format: (textOf(header.format) || 'TEXT').toUpperCase(), text: textOf(header.text) } : null,
    body: textOf(byType.get('body')?.text),
    footer: textOf(byType.get('footer')?.text),
    buttons: recordsOf(byType.get('buttons')?.buttons).map((button) => ({
      type: textOf(button.type).toUpperCase(),
      text: textOf(button.text),
      url: textOf(button.url),
    })),
    offer: isRecord(offer) ? { text: textOf(offer.text), expires: offer.has_expiration === true } : null,
    cards: Array.isArray(cards) ? recordsOf(cards).map((card) => readComponents(card.components)) : null,
    otherTypes: new Set([...byType.keys()].filter((type) => !lookedInto.includes(type))),
  };
}
