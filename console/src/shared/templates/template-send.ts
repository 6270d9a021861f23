import type { TemplateComponent, TemplateParameter } from '../../../../src/carriers/content.js';
import { isPositionKey } from '../../../../src/carriers/template-placeholders.js';
import { isNumbered, type Slot } from './template-parts.js';

interface Group {
  card: number | undefined;
  type: string;
  subType: string | undefined;
  index: number | undefined;
  slots: readonly Slot[];
}

interface SentCard {
  card_index: number;
  components: TemplateComponent[];
}

const SUB_TYPES: Readonly<Partial<Record<Slot['kind'], string>>> = { code: 'copy_code', products: 'mpm' };

function toGroups(slots: readonly Slot[]): Group[] {
  const byPart = new Map<string, Slot[]>();
  for (const slot of slots) {
    const part = `${slot.card} ${slot.part} ${slot.index}`;
    byPart.set(part, [...(byPart.get(part) ?? []), slot]);
  }
  return [...byPart.values()].map((group) => {
    const [{ card, part, index, kind }] = group as [Slot];
    // Meta matches numbered parameters by their order.
    const sorted = isNumbered(group) ? group.toSorted((a, b) => Number(a.key) - Number(b.key)) : group;
    const isButton = part === 'button';
    return {
      ...{ card, index: isButton ? index : undefined, slots: sorted },
      type: part === 'offer' ? 'limited_time_offer' : part,
      subType: isButton ? (SUB_TYPES[kind] ?? 'url') : undefined,
    };
  });
}

/** Each text slot is a separate parameter, whereas the slots of a location, for example, form a single parameter. */
function isSeparateParameter({ kind }: Slot): boolean {
  return kind === 'text';
}

export function buildComponents(slots: readonly Slot[], values: Readonly<Record<string, string>>): TemplateComponent[] {
  const components: TemplateComponent[] = [];
  const cards = new Map<number, TemplateComponent[]>();
  for (const { card, type, subType, index, slots: groupSlots } of toGroups(slots)) {
    const [first] = groupSlots as [Slot];
    const parameters = isSeparateParameter(first)
      ? groupSlots.map((slot) => toTextParameter(slot, values))
      : [toCombinedParameter(groupSlots, values)];
    const button = subType === undefined ? {} : { sub_type: subType, index: String(index) };
    const target = card === undefined ? components : (cards.get(card) ?? []);
    target.push({ type, ...button, parameters });
    if (card !== undefined) cards.set(card, target);
  }
  if (cards.size === 0) return components;
  const sentCards: SentCard[] = [...cards].map(([card_index, parts]) => ({ card_index, components: parts }));
  return [...components, { type: 'carousel', cards: sentCards }];
}

type Values = Readonly<Record<string, string>>;

function toTextParameter({ id, key }: Slot, values: Values): TemplateParameter {
  const isNamed = key !== '' && !isPositionKey(key);
  return { type: 'text', text: (values[id] ?? '').trim(), ...(isNamed && { parameter_name: key }) };
}

function toCombinedParameter(slots: readonly Slot[], values: Values): TemplateParameter {
  const [{ id, kind, format = '' }] = slots as [Slot];
  const value = (values[id] ?? '').trim();
  const fields = Object.fromEntries(slots.map((slot) => [slot.key, (values[slot.id] ?? '').trim()]));
  const type = format.toLowerCase();
  switch (kind) {
    case 'link':
      return { type, [type]: { link: value } };
    case 'place':
      return { type, location: fields };
    case 'product':
      return { type, product: fields };
    case 'time':
      return { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: new Date(value).getTime() } };
    case 'products': {
      const ids = (fields.product_ids ?? '').split(',').map((id) => id.trim());
      const product_items = ids.filter(Boolean).map((product_retailer_id) => ({ product_retailer_id }));
      const sections = [{ title: fields.title, product_items }];
      return { type: 'action', action: { thumbnail_product_retailer_id: ids[0], sections } };
    }
    default:
      return { type: 'coupon_code', coupon_code: value };
  }
}

/** Returns null if the components do not contain the slot. */
export function locateParameter(
  components: readonly TemplateComponent[],
  slots: readonly Slot[],
  slot: Slot,
): { path: string; parameter: TemplateParameter } | null {
  const group = toGroups(slots).find(({ slots: members }) => members.includes(slot));
  if (!group) return null;
  let [root, siblings] = ['', components];
  if (group.card !== undefined) {
    const carouselIndex = components.findIndex(({ type }) => type.toLowerCase() === 'carousel');
    const cards = (components[carouselIndex]?.cards ?? []) as SentCard[];
    const cardIndex = cards.findIndex(({ card_index }) => card_index === group.card);
    [root, siblings] = [`[${carouselIndex}].cards[${cardIndex}].components`, cards[cardIndex]?.components ?? []];
  }
  const componentIndex = siblings.findIndex(
    ({ type, index }) => type.toLowerCase() === group.type && String(index ?? '') === String(group.index ?? ''),
  );
  const parameterIndex = isSeparateParameter(slot) ? group.slots.indexOf(slot) : 0;
  const parameter = siblings[componentIndex]?.parameters?.[parameterIndex];
  return parameter ? { path: `${root}[${componentIndex}].parameters[${parameterIndex}]`, parameter } : null;
}

/** The inverse of `buildComponents`. */
export function readValues(slots: readonly Slot[], components: readonly TemplateComponent[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const slot of slots) {
    const location = locateParameter(components, slots, slot);
    const value = location && readValue(slot, location.parameter);
    if (value !== null) values[slot.id] = value;
  }
  return values;
}

function readValue({ kind, key }: Slot, parameter: TemplateParameter): string | null {
  const fields = parameter[parameter.type] as Record<string, unknown> | undefined;
  const value = kind === 'text' ? parameter.text : kind === 'code' ? parameter.coupon_code : fields?.[key || 'link'];
  if (kind === 'time') return toLocalTime(fields?.expiration_time_ms);
  if (kind === 'products') {
    const [section] = (fields?.sections ?? []) as {
      title?: string;
      product_items?: { product_retailer_id: string }[];
    }[];
    if (key === 'title') return section?.title ?? null;
    return section?.product_items?.map((item) => item.product_retailer_id).join(', ') ?? null;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** Formats a time for an input of type `datetime-local`. */
function toLocalTime(milliseconds: unknown): string | null {
  if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds)) return null;
  const date = new Date(milliseconds);
  return new Date(milliseconds - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
