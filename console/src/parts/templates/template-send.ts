import type { TemplateComponent, TemplateParameter } from '../../../../src/carriers/content.js';
import { isPosition } from '../../../../src/carriers/template-placeholders.js';
import { isNumbered, type Slot } from './template-parts.js';

/** The slots that one component of a send fills. */
interface Group {
  card: number | undefined;
  type: string;
  subType: string | undefined;
  index: number | undefined;
  /** In the order of their parameters. */
  slots: readonly Slot[];
}

/** A component of a carousel, as far as it is read here. */
interface SentCard {
  card_index: number;
  components: TemplateComponent[];
}

const SUB_TYPES: Readonly<Partial<Record<Slot['kind'], string>>> = { code: 'copy_code', products: 'mpm' };

function groupsOf(slots: readonly Slot[]): Group[] {
  const byPart = new Map<string, Slot[]>();
  for (const slot of slots) {
    const part = `${slot.card} ${slot.part} ${slot.index}`;
    byPart.set(part, [...(byPart.get(part) ?? []), slot]);
  }
  return [...byPart.values()].map((own) => {
    const [{ card, part, index, kind }] = own as [Slot];
    // Numbered parameters are taken in order.
    const sorted = isNumbered(own) ? own.toSorted((a, b) => Number(a.key) - Number(b.key)) : own;
    const isButton = part === 'button';
    return {
      ...{ card, index: isButton ? index : undefined, slots: sorted },
      type: part === 'offer' ? 'limited_time_offer' : part,
      subType: isButton ? (SUB_TYPES[kind] ?? 'url') : undefined,
    };
  });
}

/** Whether each slot of a part is a parameter of its own; those of a place, say, are one together. */
function isEach({ kind }: Slot): boolean {
  return kind === 'text';
}

/** The components of a send, as Meta's Cloud API takes them. */
export function componentsOfSend(
  slots: readonly Slot[],
  values: Readonly<Record<string, string>>,
): TemplateComponent[] {
  const components: TemplateComponent[] = [];
  const cards = new Map<number, TemplateComponent[]>();
  for (const { card, type, subType, index, slots: own } of groupsOf(slots)) {
    const [first] = own as [Slot];
    const parameters = isEach(first) ? own.map((slot) => textParameter(slot, values)) : [joint(own, values)];
    const button = subType === undefined ? {} : { sub_type: subType, index: String(index) };
    const into = card === undefined ? components : (cards.get(card) ?? []);
    into.push({ type, ...button, parameters });
    if (card !== undefined) cards.set(card, into);
  }
  if (cards.size === 0) return components;
  const sent: SentCard[] = [...cards].map(([card_index, own]) => ({ card_index, components: own }));
  return [...components, { type: 'carousel', cards: sent }];
}

type Values = Readonly<Record<string, string>>;

function textParameter({ id, key }: Slot, values: Values): TemplateParameter {
  const named = key !== '' && !isPosition(key);
  return { type: 'text', text: (values[id] ?? '').trim(), ...(named && { parameter_name: key }) };
}

/** The one parameter that the slots of a part make together. */
function joint(slots: readonly Slot[], values: Values): TemplateParameter {
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
      const ids = (fields.product_ids ?? '').split(',').map((each) => each.trim());
      const product_items = ids.filter(Boolean).map((product_retailer_id) => ({ product_retailer_id }));
      const sections = [{ title: fields.title, product_items }];
      return { type: 'action', action: { thumbnail_product_retailer_id: ids[0], sections } };
    }
    default:
      return { type: 'coupon_code', coupon_code: value };
  }
}

/** Where a slot stands in the components of a send; null where they do not have it. */
export function locate(
  components: readonly TemplateComponent[],
  slots: readonly Slot[],
  slot: Slot,
): { path: string; parameter: TemplateParameter } | null {
  const group = groupsOf(slots).find(({ slots: own }) => own.includes(slot));
  if (!group) return null;
  let [root, among] = ['', components];
  if (group.card !== undefined) {
    const at = components.findIndex(({ type }) => type.toLowerCase() === 'carousel');
    const cards = (components[at]?.cards ?? []) as SentCard[];
    const place = cards.findIndex(({ card_index }) => card_index === group.card);
    [root, among] = [`[${at}].cards[${place}].components`, cards[place]?.components ?? []];
  }
  const at = among.findIndex(
    ({ type, index }) => type.toLowerCase() === group.type && String(index ?? '') === String(group.index ?? ''),
  );
  const place = isEach(slot) ? group.slots.indexOf(slot) : 0;
  const parameter = among[at]?.parameters?.[place];
  return parameter ? { path: `${root}[${at}].parameters[${place}]`, parameter } : null;
}

/** The values of a template's slots in the components of a stored send: `componentsOfSend` the other way round. */
export function valuesOfSend(slots: readonly Slot[], components: readonly TemplateComponent[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const slot of slots) {
    const found = locate(components, slots, slot);
    const value = found && valueIn(slot, found.parameter);
    if (value !== null) values[slot.id] = value;
  }
  return values;
}

function valueIn({ kind, key }: Slot, parameter: TemplateParameter): string | null {
  const held = parameter[parameter.type] as Record<string, unknown> | undefined;
  const value = kind === 'text' ? parameter.text : kind === 'code' ? parameter.coupon_code : held?.[key || 'link'];
  if (kind === 'time') return localTime(held?.expiration_time_ms);
  if (kind === 'products') {
    const [section] = (held?.sections ?? []) as { title?: string; product_items?: { product_retailer_id: string }[] }[];
    if (key === 'title') return section?.title ?? null;
    return section?.product_items?.map((each) => each.product_retailer_id).join(', ') ?? null;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** A time as a field of the browser takes it. */
function localTime(milliseconds: unknown): string | null {
  if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds)) return null;
  const date = new Date(milliseconds);
  return new Date(milliseconds - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
