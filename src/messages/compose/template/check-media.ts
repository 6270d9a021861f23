import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank } from '../../../platform/errors/field-problems.js';

const FILE_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'document']);

export function checkMedia(type: string, media: Record<string, unknown>, path: string): FieldProblem[] {
  if (type === 'location') return checkLocation(media, path);
  if (type === 'product') return checkProduct(media, path);
  if (!FILE_TYPES.has(type)) return [];
  if (!hasOneSource(media)) return [{ field: path, rule: 'must have either an id or a link' }];
  return isLink(media.link) ? [] : [{ field: `${path}.link`, rule: 'must be an http or https URL' }];
}

/** Meta requires exactly one of `id` and `link`. */
function hasOneSource({ id, link }: Record<string, unknown>): boolean {
  const sources = [id, link].filter((source) => source !== undefined);
  return sources.length === 1 && sources[0] !== '' && sources[0] !== null;
}

function isLink(link: unknown): boolean {
  if (link === undefined) return true;
  return typeof link === 'string' && /^https?:\/\/\S+$/i.test(link) && URL.canParse(link);
}

/** Meta accepts degrees as numbers and as strings. */
function checkLocation(location: Record<string, unknown>, path: string): FieldProblem[] {
  const degrees = [['latitude', 90] as const, ['longitude', 180] as const];
  return degrees.flatMap(([name, most]) => {
    const value = location[name];
    const isPresent = typeof value === 'number' || (typeof value === 'string' && !isBlank(value));
    if (isPresent && Math.abs(Number(value)) <= most) return [];
    return [{ field: `${path}.${name}`, rule: `must be degrees from -${most} to ${most}` }];
  });
}

function checkProduct(product: Record<string, unknown>, path: string): FieldProblem[] {
  return ['product_retailer_id', 'catalog_id'].flatMap((name) => {
    const value = product[name];
    if (typeof value === 'string' && !isBlank(value)) return [];
    return [{ field: `${path}.${name}`, rule: 'must be a non-empty text' }];
  });
}
