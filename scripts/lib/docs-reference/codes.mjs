import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../dist.mjs';

const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** Names of other programs: their settings, their TLS errors, and states of SMSCs. */
const FOREIGN =
  /^(?:WHATSAPP_CLOUD_|WA_BUSINESS_|TWILIO_|NODE_|HTTPS?_PROXY$|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_|DND_REJECTED$|ABSENT_SUB$)/;
const SOURCES = ['src', 'console/src', 'deploy', 'scripts', 'prisma', 'test'];

/**
 * Finds names in capitals, such as error codes, that neither the code nor a code block of the page contains.
 * @returns {string[]} as `page: name`
 */
export function findUnknownCodes() {
  const pages = listFiles(join(ROOT, 'docs')).filter((path) => path.endsWith('.md') && !path.includes('/decisions/'));
  const mentions = [...pages, join(ROOT, 'README.md')].flatMap((path) =>
    listCodes(path).map((name) => ({ path, name })),
  );
  const existingNames = new Set();
  for (const file of SOURCES.flatMap((folder) => listFiles(join(ROOT, folder)))) {
    if (/\.(?:ts|tsx|mjs|sql|yml|yaml|sh|service)$/.test(file)) addNames(readFileSync(file, 'utf8'), existingNames);
  }
  addNames(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), existingNames);
  return mentions
    .filter(({ name }) => !existingNames.has(name) && !FOREIGN.test(name))
    .map(({ path, name }) => `${relative(ROOT, path)}: ${name}`);
}

function listCodes(path) {
  const text = readFileSync(path, 'utf8');
  const blocks = text.match(/^```[\s\S]*?^```$/gm) ?? [];
  const inBlocks = addNames(blocks.join('\n'), new Set());
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const names = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span).filter((span) => CODE.test(span));
  return [...new Set(names)].filter((name) => !inBlocks.has(name));
}

function addNames(text, names) {
  for (const [name] of text.matchAll(/[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g)) names.add(name);
  return names;
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('generated'))
    .map((entry) => join(entry.parentPath, entry.name));
}
