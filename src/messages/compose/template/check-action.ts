import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import { isRecord } from './components.js';

/** Meta, "Multi-product message templates". */
const MAX_SECTIONS = 10;
const MAX_PRODUCTS = 30;
const TITLE_LIMIT = 24;

/** Example for error messages. */
const ITEMS = '[{"product_retailer_id": "SKU-1"}]';
const ID_RULE = 'must be a non-empty text';

export function checkAction(
  type: 'MPM' | 'CATALOG' | 'FLOW',
  action: Record<string, unknown>,
  path: string,
): FieldProblem[] {
  const thumbnail = action.thumbnail_product_retailer_id;
  const problems: FieldProblem[] = [];
  if (type === 'MPM' || (type === 'CATALOG' && thumbnail !== undefined)) {
    if (!isText(thumbnail)) problems.push({ field: `${path}.thumbnail_product_retailer_id`, rule: ID_RULE });
  }
  if (type === 'MPM') problems.push(...checkSections(action.sections, `${path}.sections`));
  if (type === 'FLOW') problems.push(...checkFlow(action, path));
  return problems;
}

function checkSections(input: unknown, path: string): FieldProblem[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_SECTIONS) {
    const rule = `must be an array of 1 to ${MAX_SECTIONS} sections, such as [{"title": "Offers", "product_items": ${ITEMS}}]`;
    return [{ field: path, rule }];
  }
  const sections = input.map((section: unknown) => (isRecord(section) ? section : {}));
  const problems = sections.flatMap(({ title, product_items: items }, index) => {
    const sectionPath = `${path}[${index}]`;
    const sectionProblems: FieldProblem[] = [];
    const mayLackTitle = sections.length === 1 && title === undefined;
    if (!mayLackTitle && (!isText(title) || isLongerThan(title, TITLE_LIMIT))) {
      sectionProblems.push({ field: `${sectionPath}.title`, rule: `must be a text of 1 to ${TITLE_LIMIT} characters` });
    }
    if (!Array.isArray(items) || items.length === 0) {
      sectionProblems.push({
        field: `${sectionPath}.product_items`,
        rule: `must be an array with at least one product, such as ${ITEMS}`,
      });
      return sectionProblems;
    }
    for (const [itemIndex, item] of items.entries()) {
      if (isRecord(item) && isText(item.product_retailer_id)) continue;
      sectionProblems.push({ field: `${sectionPath}.product_items[${itemIndex}].product_retailer_id`, rule: ID_RULE });
    }
    return sectionProblems;
  });
  const count = sections.reduce((sum, { product_items: items }) => sum + (Array.isArray(items) ? items.length : 0), 0);
  if (count > MAX_PRODUCTS) {
    const rule = `must not have more than ${MAX_PRODUCTS} products over all sections (it has ${count})`;
    problems.push({ field: path, rule });
  }
  return problems;
}

function checkFlow({ flow_token: token, flow_action_data: data }: Record<string, unknown>, path: string) {
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
