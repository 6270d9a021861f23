export interface TemplateButton {
  /** Meta's button type, for example `QUICK_REPLY`, `URL`, `PHONE_NUMBER` or `COPY_CODE`. */
  type: string;
  text: string;
  url: string;
}

export interface TemplateShape {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  buttons: readonly TemplateButton[];
  offer: { text: string; expires: boolean } | null;
  cards: readonly TemplateShape[] | null;
  /** Lower-case types of components that are passed on unchecked. */
  otherTypes: ReadonlySet<string>;
}

const CHECKED_TYPES = ['header', 'body', 'footer', 'buttons'];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Ignores unknown components, because the carrier decides whether to reject them. */
export function readComponents(components: unknown): TemplateShape {
  const records = asRecords(components);
  const byType = new Map(records.map((record) => [asText(record.type).toLowerCase(), record]));
  const header = byType.get('header');
  const offer = byType.get('limited_time_offer')?.limited_time_offer;
  const cards = byType.get('carousel')?.cards;
  const checkedTypes = [
    ...CHECKED_TYPES,
    ...(Array.isArray(cards) ? ['carousel'] : []),
    ...(isRecord(offer) ? ['limited_time_offer'] : []),
  ];
  return {
    header: header ? { format: (asText(header.format) || 'TEXT').toUpperCase(), text: asText(header.text) } : null,
    body: asText(byType.get('body')?.text),
    footer: asText(byType.get('footer')?.text),
    buttons: asRecords(byType.get('buttons')?.buttons).map((button) => ({
      type: asText(button.type).toUpperCase(),
      text: asText(button.text),
      url: asText(button.url),
    })),
    offer: isRecord(offer) ? { text: asText(offer.text), expires: offer.has_expiration === true } : null,
    cards: Array.isArray(cards) ? asRecords(cards).map((card) => readComponents(card.components)) : null,
    otherTypes: new Set([...byType.keys()].filter((type) => !checkedTypes.includes(type))),
  };
}
