import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank } from '../../../platform/errors/field-problems.js';

/** Media that a parameter names by the id of an upload or by a link. */
const LINKED_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'document']);

/** What breaks a rule in what a header shows: Meta's objects of media, of a location and of a product. */
export function brokenMedia(type: string, media: Record<string, unknown>, path: string): FieldProblem[] {
  if (type === 'location') return brokenPlace(media, path);
  if (type === 'product') return brokenProduct(media, path);
  if (!LINKED_TYPES.has(type)) return [];
  if (!hasOneSource(media)) return [{ field: path, rule: 'must hold either an id or a link' }];
  return isLink(media.link) ? [] : [{ field: `${path}.link`, rule: 'must be an http or https URL' }];
}

/** Meta's media object: exactly one of `id` and `link`. */
function hasOneSource({ id, link }: Record<string, unknown>): boolean {
  const sources = [id, link].filter((source) => source !== undefined);
  return sources.length === 1 && sources[0] !== '' && sources[0] !== null;
}

/** A link that Meta can fetch; none at all stands beside an id. */
function isLink(link: unknown): boolean {
  if (link === undefined) return true;
  return typeof link === 'string' && /^https?:\/\/\S+$/i.test(link) && URL.canParse(link);
}

/** Meta takes degrees as numbers and as texts. */
function brokenPlace(place: Record<string, unknown>, path: string): FieldProblem[] {
  const degrees = [['latitude', 90] as const, ['longitude', 180] as const];
  return degrees.flatMap(([name, most]) => {
    const value = place[name];
    const isGiven = typeof value === 'number' || (typeof value === 'string' && !isBlank(value));
    if (isGiven && Math.abs(Number(value)) <= most) return [];
    return [{ field: `${path}.${name}`, rule: `must be degrees from -${most} to ${most}` }];
  });
}

function brokenProduct(product: Record<string, unknown>, path: string): FieldProblem[] {
  return ['product_retailer_id', 'catalog_id'].flatMap((name) => {
    const value = product[name];
    if (typeof value === 'string' && !isBlank(value)) return [];
    return [{ field: `${path}.${name}`, rule: 'must be a text that is not empty' }];
  });
}
