import { isCommands, isOutput } from './page-blocks.mjs';

/** Why commands of `sh` blocks cannot run with the other examples. */
const REASONS = ['docker', 'kubernetes', 'systemd', 'root', 'another-machine', 'vendor', 'redis', 'terminal'];

/**
 * Checks the languages of a page's blocks.
 * @param {string} page its name in the problems
 * @param {import('./page-blocks.mjs').Block[]} blocks
 * @returns {string[]} problems
 */
export function checkBlocks(page, blocks) {
  return blocks.flatMap((block, index) => {
    const problem = findProblem(block, blocks[index - 1]);
    return problem ? [`${page}:${block.line} ${problem}`] : [];
  });
}

function findProblem(block, previous) {
  if (block.file !== null) {
    return /^\/|(^|\/)\.\.(\/|$)/.test(block.file) ? 'A file must be inside the folder' : null;
  }
  if (isOutput(block)) {
    if (!['json', 'text'].includes(block.language)) return 'An output is `json output` or `text output`';
    return previous && isCommands(previous) ? null : 'An output must follow a `bash` block';
  }
  if (block.language === 'sh') {
    const reason = block.words.find((word) => word.startsWith('needs='))?.slice('needs='.length);
    return REASONS.includes(reason ?? '') ? null : `A \`sh\` block needs a reason: needs=${REASONS.join('|')}`;
  }
  if (['console', 'shell', 'zsh', 'terminal'].includes(block.language)) {
    return `Commands are in \`bash\` or \`sh\` blocks, not \`${block.language}\``;
  }
  if (block.language === '' && /(^|\s)(curl|npx heliograph) /.test(block.text)) {
    return 'Commands are in `bash` or `sh` blocks: name the language';
  }
  return null;
}
