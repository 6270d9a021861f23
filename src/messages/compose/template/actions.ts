import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import { isRecord } from './components.js';

/** Limits of a list of products (Meta, "Multi-product message templates"). */
const MOST_SECTIONS = 10;
const MOST_PRODUCTS = 30;
const TITLE_LIMIT = 24;

/** Shown in the rules of lists of products. */
const ITEMS = '[{"product_retailer_id": "SKU-1"}]';
const ID_RULE = 'must be a text that is not empty';

/** What breaks a rule in the action of a button that shows products, opens a catalogue, or begins a Flow. */
export function brokenAction(
  type: 'MPM' | 'CATALOG' | 'FLOW',
  action: Record<string, unknown>,
  path: string,
): FieldProblem[] {
  const thumbnail = action.thumbnail_product_retailer_id;
  const problems: FieldProblem[] = [];
  if (type === 'MPM' || (type === 'CATALOG' && thumbnail !== undefined)) {
    if (!isText(thumbnail)) problems.push({ field: `${path}.thumbnail_product_retailer_id`, rule: ID_RULE });
  }
  if (type === 'MPM') problems.push(...brokenSections(action.sections, `${path}.sections`));
  if (type === 'FLOW') problems.push(...brokenFlow(action, path));
  return problems;
}

function brokenSections(given: unknown, path: string): FieldProblem[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_SECTIONS) {
    const rule = `must be an array of 1 to ${MOST_SECTIONS} sections, such as [{"title": "Offers", "product_items": ${ITEMS}}]`;
    return [{ field: path, rule }];
  }
  const sections = given.map((section: unknown) => (isRecord(section) ? section : {}));
  const problems = sections.flatMap(({ title, product_items: items }, index) => {
    const at = `${path}[${index}]`;
    const own: FieldProblem[] = [];
    const mayLackTitle = sections.length === 1 && title === undefined;
    if (!mayLackTitle && (!isText(title) || isLongerThan(title, TITLE_LIMIT))) {
      own.push({ field: `${at}.title`, rule: `must be a text of 1 to ${TITLE_LIMIT} characters` });
    }
    if (!Array.isArray(items) || items.length === 0) {
      own.push({ field: `${at}.product_items`, rule: `must be an array with at least one product, such as ${ITEMS}` });
      return own;
    }
    for (const [place, item] of items.entries()) {
      if (isRecord(item) && isText(item.product_retailer_id)) continue;
      own.push({ field: `${at}.product_items[${place}].product_retailer_id`, rule: ID_RULE });
    }
    return own;
  });
  const count = sections.reduce((sum, { product_items: items }) => sum + (Array.isArray(items) ? items.length : 0), 0);
  if (count > MOST_PRODUCTS) {
    const rule = `must not have more than ${MOST_PRODUCTS} products over all sections (it has ${count})`;
    problems.push({ field: path, rule });
  }
  return problems;
}

function brokenFlow({ flow_token: token, flow_action_data: data }: Record<string, unknown>, path: string) {
  const problems: FieldProblem[] = [];
  if (token !== undefined && !isText(token)) problems.push({ field: `${path}.flow_token`, rule: ID_RULE });
  if (data !== undefined && !isRecord(data)) {
    problems.push({ field: `${path}.flow_action_data`, rule: 'must be an object, such as {"order": "A-1001"}' });
  }
  return problems;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value);
}
