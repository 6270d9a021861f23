import { text } from '../../text/en.js';
import type { Slot } from './template-parts.js';

const words = text.templates;

export function formatSlotLabel({ card, part, key, kind, index, format = '' }: Slot): string {
  const formats: Readonly<Record<string, string>> = words.formats;
  const fields: Readonly<Record<string, string>> = words.slotFields;
  const partName =
    part === 'button' ? words.buttonNo((index ?? 0) + 1) : part === 'body' ? words.parts.body : words.parts.header;
  const labels: Readonly<Record<Slot['kind'], string>> = {
    text: words.slot(partName, key),
    link: words.linkOf(formats[format] ?? format),
    code: words.code,
    time: words.offerEnd,
    place: fields[key] ?? key,
    product: fields[key] ?? key,
    products: fields[key] ?? key,
  };
  return card === undefined ? labels[kind] : words.ofCard(card + 1, labels[kind]);
}

export function toInputProps({ kind }: Slot): { type?: string; inputMode?: 'url' | 'decimal' } {
  if (kind === 'time') return { type: 'datetime-local' };
  return kind === 'link' ? { inputMode: 'url' } : {};
}
