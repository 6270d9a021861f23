import { code, renderTable } from './markers.mjs';

const load = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href);

const INVALID = { status: 400, code: 'INVALID_REQUEST' };

/** Describes the shape of errors on each surface, with an error that docs/examples records there. */
export async function describeErrorShapes() {
  const { renderV1, renderV2 } = await load('surfaces/a/errors.js');
  const { renderSurfaceB } = await load('surfaces/b/errors.js');
  const shapes = [
    {
      title: '`/v1.0`',
      render: renderV1,
      field: 'to',
      rule: 'has an invalid phone number: "0555" (a number has 7 to 15 digits and begins with an assigned country calling code)',
      text: 'The HTTP status is also in `code`, as a text.',
    },
    {
      title: '`/v2`',
      render: renderV2,
      field: 'message',
      rule: 'is required unless template_id or media_url is sent',
      text: 'The HTTP status is also in `code`, as a number. `data.errors` lists every invalid field.',
    },
    {
      title: '`/api/v1` (Surface B)',
      render: renderSurfaceB,
      field: 'components',
      rule: "has no parameter for {{1}} of the template's body",
      text: '`error.code` is a code of the table below. `details` lists every invalid field.',
    },
  ];
  return shapes
    .map(({ title, render, field, rule, text }) => {
      const body = render({ ...INVALID, message: `${field} ${rule}`, fields: [{ field, rule }] });
      return `### ${title}\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\`\n\n${text}`;
    })
    .join('\n\n');
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
