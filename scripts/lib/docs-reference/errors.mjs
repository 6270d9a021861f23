import { readExamples } from '../api-examples/files.mjs';
import { formatJson } from '../json-text.mjs';
import { code, renderTable } from './markers.mjs';

const load = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href);

const SHAPES = [
  { surface: '`/v1.0`', operation: 'sendSms', text: 'The HTTP status is also in `code`, as a text.' },
  {
    surface: '`/v2`',
    operation: 'send',
    text: 'The HTTP status is also in `code`, as a number. `data.errors` lists every invalid field.',
  },
  {
    surface: '`/api/v1` (Surface B)',
    operation: 'sendTemplate',
    text: '`error.code` is a code of the table below. `details` lists every invalid field.',
  },
];

/** Describes the shape of errors on each surface, with an error that docs/examples records there. */
export function describeErrorShapes() {
  const examples = readExamples();
  return SHAPES.map(({ surface, operation, text }) => {
    const { response } = examples[operation].find(({ response: { status } }) => status === 400);
    return `### ${surface}\n\n\`\`\`json\n${formatJson(JSON.stringify(response.body))}\n\`\`\`\n\n${text}`;
  }).join('\n\n');
}

export async function describeErrors() {
  const { ERROR_STATUS } = await load('platform/errors/app-error.js');
  const { ERROR_EXPLANATIONS } = await load('platform/errors/error-explanations.js');
  const rows = Object.entries(ERROR_STATUS).map(([name, status]) => {
    const { happened, action } = ERROR_EXPLANATIONS[name];
    return [code(name), String(status), happened, action];
  });
  return renderTable(['code', 'HTTP status', 'what happened', 'what to do'], rows);
}

/** @param {string} about which codes: see `FailureCodeRule` */
export async function describeFailures(about) {
  const { FAILURE_CODES } = await load('carriers/failure-codes.js');
  const rows = Object.entries(FAILURE_CODES)
    .filter(([, rule]) => rule.about === about)
    .map(([name, { happened, action }]) => [code(name), happened, action]);
  return renderTable(['code', 'what happened', 'what to do'], rows);
}
