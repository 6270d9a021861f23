import type { FieldProblem } from '../../platform/errors/app-error.js';
import { isBlank } from '../../platform/errors/field-problems.js';

/** Kinds of interactive messages whose rules are known here (Meta, "Interactive messages"). */
export const INTERACTIVE_KINDS = [
  'button',
  'list',
  'cta_url',
  'location_request_message',
  'request_contact_info',
  'flow',
] as const;
/** Kinds that only Meta can check: what is in them lies there, or is of single countries. */
export const UNCHECKED_KINDS = [
  'product',
  'product_list',
  'catalog_message',
  'order_details',
  'order_status',
  'address_message',
  'carousel',
  'voice_call',
  'call_permission_request',
] as const;

/** The most rows of a list, over all of its sections. */
export const MOST_ROWS = 10;

interface Named {
  id: string;
  title: string;
}

/** An interactive message in Meta's shape; what a kind must have, its schema has checked. */
export interface Interactive {
  type: (typeof INTERACTIVE_KINDS)[number] | (typeof UNCHECKED_KINDS)[number];
  header?: { type: string; [content: string]: unknown };
  body?: { text: string };
  footer?: { text: string };
  action: {
    buttons?: { reply: Named }[];
    sections?: { title?: string; rows?: Named[] }[];
    parameters?: Record<string, unknown>;
    [more: string]: unknown;
  };
}

/** What breaks a rule that a schema cannot say. */
export function interactiveProblems({ type, header, body, action }: Interactive): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (header && header[header.type] === undefined) {
    problems.push({
      field: `interactive.header.${header.type}`,
      rule: `is required where the header is ${header.type}`,
    });
  }
  if (body && isBlank(body.text)) {
    problems.push({ field: 'interactive.body.text', rule: 'must not be of spaces or invisible characters alone' });
  }
  if (type === 'button') {
    const replies = (action.buttons ?? []).map(({ reply }, index) => ({ ...reply, field: `buttons[${index}].reply` }));
    problems.push(...alike(replies, 'id'), ...alike(replies, 'title'));
  }
  if (type === 'list') problems.push(...listProblems(action.sections ?? []));
  if (type === 'flow') {
    const { flow_id: id, flow_name: name } = action.parameters ?? {};
    if ((id === undefined) === (name === undefined)) {
      problems.push({ field: 'interactive.action.parameters', rule: 'must have either flow_id or flow_name' });
    }
  }
  return problems;
}

function listProblems(sections: NonNullable<Interactive['action']['sections']>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const rows = sections.flatMap(({ rows = [] }, section) =>
    rows.map((row, index) => ({ ...row, field: `sections[${section}].rows[${index}]` })),
  );
  if (rows.length > MOST_ROWS) {
    const rule = `must not have more than ${MOST_ROWS} rows over all sections (it has ${rows.length})`;
    problems.push({ field: 'interactive.action.sections', rule });
  }
  if (sections.length > 1) {
    sections.forEach(({ title }, index) => {
      if (title !== undefined && !isBlank(title)) return;
      const rule = 'is required where there are several sections';
      problems.push({ field: `interactive.action.sections[${index}].title`, rule });
    });
  }
  return [...problems, ...alike(rows, 'id')];
}

/** Those that say what an earlier one says already. */
function alike(choices: readonly (Named & { field: string })[], name: keyof Named): FieldProblem[] {
  const seen = new Set<string>();
  return choices.flatMap((choice) => {
    if (!seen.has(choice[name])) {
      seen.add(choice[name]);
      return [];
    }
    return [{ field: `interactive.action.${choice.field}.${name}`, rule: 'must be another than those before it' }];
  });
}
