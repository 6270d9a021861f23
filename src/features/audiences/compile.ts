import type { MarksFilter } from '../contacts/search/marks-sql.js';
import type { Bind } from '../contacts/search/term-sql.js';
import { type Condition, type Test, toCustomKey } from './condition.js';
import type { ConditionContext } from './context.js';
import { testSql } from './test-sql.js';

/**
 * Compiles a condition to SQL about a row `c` of `contacts`. The SQL is NULL or false for a contact that does not meet the
 * condition. All values are bound.
 */
export function conditionSql(condition: Condition, context: ConditionContext, bind: Bind): string {
  if ('field' in condition) return testSql(condition, context, bind);
  // NULL counts as false.
  if ('not' in condition) return `(${conditionSql(condition.not, context, bind)}) IS NOT TRUE`;
  const [entries, operator] = 'all' in condition ? [condition.all, ' AND '] : [condition.any, ' OR '];
  return `(${entries.map((entry) => conditionSql(entry, context, bind)).join(operator)})`;
}

/**
 * Returns tags and field values that every contact who meets the condition has, so that the index of tags and values finds
 * candidates. Null if there are none.
 */
export function findRequiredMarks(condition: Condition, { fieldTypes }: ConditionContext): MarksFilter | null {
  const tests = listRequiredTests(condition);
  const tags = tests.filter(({ field, operator }) => field === 'tags' && operator === 'has').map(({ value }) => value);
  const fields = tests.flatMap(({ field, operator, value }) => {
    const key = toCustomKey(field);
    // Texts are compared without regard to case, so the index does not find them.
    const isExact = key !== null && operator === 'is' && fieldTypes.has(key) && fieldTypes.get(key) !== 'text';
    return isExact && value !== undefined ? [[key, value] as const] : [];
  });
  if (tags.length + fields.length === 0) return null;
  return {
    ...(tags.length > 0 && { tags: tags as string[] }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

function listRequiredTests(condition: Condition): Test[] {
  if ('field' in condition) return [condition];
  return 'all' in condition ? condition.all.flatMap(listRequiredTests) : [];
}
