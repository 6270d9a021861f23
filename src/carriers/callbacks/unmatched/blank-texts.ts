/** Names of fields that contain IDs, timestamps or the carrier's terms, but never user text. */
const KEPT_NAMES: ReadonlySet<string> = new Set([
  'id',
  'object',
  'field',
  'event',
  'type',
  'status',
  'category',
  'value',
  'from',
  'to',
  'timestamp',
  'messaging_product',
  'display_phone_number',
  'mime_type',
  'sha256',
  'direction',
  'language',
  'message_template_name',
  'message_template_language',
  'current_limit',
  'old_limit',
]);
const KEPT_ENDS = /_(?:id|ids|type|status|state|score|category|severity|limit|event|timestamp|date)$/;

export function blankTexts(report: unknown, name = ''): unknown {
  if (typeof report === 'string') return KEPT_NAMES.has(name) || KEPT_ENDS.test(name) ? report : '';
  if (Array.isArray(report)) return report.map((item) => blankTexts(item, name));
  if (typeof report !== 'object' || report === null) return report;
  return Object.fromEntries(Object.entries(report).map(([key, value]) => [key, blankTexts(value, key)]));
}
