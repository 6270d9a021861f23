import { listOperations } from '../api-examples/player.mjs';
import { renderOperation, toAnchor } from './operation.mjs';
import { wrap } from './wrap.mjs';

const BEARER = 'Send the key of an app with the scope `rest` as `Authorization: Bearer …`. Without it you get 401.';
const CHANNEL =
  'Send the three headers of a channel’s key: `X-API-Key`, `X-API-Secret` and `X-Channel-Id`. The examples read them from a file called `keys.txt`.';
const TAIL =
  'Every request and response here was recorded from a server; IDs, times and secrets are replaced. Errors are explained in [Errors](ROOTreference/errors.md), keys and scopes in [Authentication and scopes](ROOTreference/authentication.md).';

/** The surfaces, with their tags in the order of the pages. */
const SURFACES = [
  {
    file: 'docs/reference/api-a.md',
    title: 'API: Surface A',
    intro: `Look up every operation of \`/v1.0\` and \`/v2\` with its fields, a request and the response. ${BEARER}`,
    tags: ['SMS', 'Messages', 'Account webhooks', 'Account', 'Health'],
  },
  {
    file: 'docs/reference/api-b.md',
    title: 'API: Surface B',
    // One page would be too long for a phone.
    hasPageForEachTag: true,
    intro: `Look up every operation of \`/api/v1\`, which works on one channel, with its fields, a request and the response. ${CHANNEL}`,
    tags: [
      'Channel messages',
      'Conversations',
      'Contacts',
      'Contact groups',
      'Audiences',
      'Consent',
      'Media',
      'Templates',
      'Campaigns',
      'Automations',
      'Webhooks',
      'Channel account',
      'Simulator',
    ],
  },
  {
    file: 'docs/reference/api-twilio.md',
    title: "API: Twilio's surface",
    intro:
      "Look up every operation for programs that call Twilio. The user name is the account's SID, the password is the key of an app with the scope `rest`. What differs from Twilio is in [From Twilio](../move/twilio.md).",
    tags: ["Twilio's surface"],
  },
  {
    file: 'docs/reference/api-graph.md',
    title: "API: Meta's surface",
    intro:
      "Look up every operation for programs that call Meta's Cloud API. The token is the key and the secret of a channel, joined by a dot. What differs from Meta is in [From Meta's Cloud API](../move/cloud-api.md).",
    tags: ["Meta's surface"],
  },
];

/**
 * Renders the reference pages of the API.
 * @param {object} document the OpenAPI document, with examples
 * @param {Record<string, object[]>} examples the recorded examples of each operation
 * @returns {Map<string, string>} the text of each page by its path
 */
export function renderPages(document, examples) {
  const operations = [...listOperations(document).values()];
  const unknown = operations
    .map(({ tags }) => tags[0])
    .filter((tag) => !SURFACES.some(({ tags }) => tags.includes(tag)));
  if (unknown.length > 0) throw new Error(`No page of the reference has the tag ${unknown[0]}.`);
  return new Map(SURFACES.flatMap((surface) => renderSurface(surface, { document, operations, examples })));
}

function renderSurface({ file, title, intro, tags, hasPageForEachTag = false }, { document, operations, examples }) {
  const sections = tags.map((tag) => ({
    tag,
    description: document.tags.find(({ name }) => name === tag).description,
    operations: operations.filter((operation) => operation.tags[0] === tag),
  }));
  const renderAll = (tagOperations, level) =>
    tagOperations
      .map((operation) =>
        renderOperation(operation, { document, examples: examples[operation.operationId] ?? [], level }),
      )
      .join('\n');
  if (hasPageForEachTag) {
    const index = sections.map(
      ({ tag, description, operations: tagOperations }) =>
        `## ${tag}\n\n${wrap(description)}\n\n${renderLinks(tagOperations, `api/${toAnchor(tag)}.md`)}`,
    );
    const pages = sections.map(({ tag, description, operations: tagOperations }) => [
      `docs/reference/api/${toAnchor(tag)}.md`,
      [
        renderHead(`${title}, ${tag.toLowerCase()}`, `${description} ${intro.slice(intro.indexOf('Send '))}`, '../../'),
        renderLinks(tagOperations),
        renderAll(tagOperations, '##'),
      ].join('\n'),
    ]);
    return [[file, [renderHead(title, intro, '../'), ...index].join('\n')], ...pages];
  }
  const texts = sections.map(({ tag, description, operations: tagOperations }) =>
    sections.length === 1
      ? `${renderLinks(tagOperations)}\n${renderAll(tagOperations, '##')}`
      : `## ${tag}\n\n${wrap(description)}\n\n${renderLinks(tagOperations)}\n${renderAll(tagOperations, '###')}`,
  );
  return [[file, [renderHead(title, intro, '../'), ...texts].join('\n')]];
}

/** `root` leads from the page to the folder docs. */
function renderHead(title, intro, root) {
  const mark = '<!-- Written by: npm run docs:api -- --write -->\n<!-- server: none -->';
  return `# ${title}\n\n${mark}\n\n${wrap(intro)}\n\n${wrap(TAIL.replaceAll('ROOT', root))}\n`;
}

/** A table that leads to the operations. */
function renderLinks(operations, page = '') {
  const rows = operations.map(
    ({ summary, method, path }) => `| [${summary}](${page}#${toAnchor(summary)}) | \`${method} ${path}\` |`,
  );
  return `| operation | request |\n| --- | --- |\n${rows.join('\n')}\n`;
}
