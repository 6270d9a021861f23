import { code, renderTable } from './markers.mjs';

const load = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href);

export async function describeSettings() {
  const { settings } = await load('process/settings/settings.js');
  const { settingGroups } = await load('process/settings/setting-groups.js');
  const { FORMAT_RULES } = await load('process/settings/setting-formats.js');
  return Object.entries(settingGroups)
    .map(([title, names]) => {
      const rows = names.map((name) => {
        const setting = settings.properties[name];
        const bounds = describeBounds(setting, FORMAT_RULES);
        const range = bounds === null ? '' : `; ${bounds}`;
        return [code(name), toMarkdown(setting.description), `${describeDefault(setting)}${range}`];
      });
      return `## ${title}\n\n${renderTable(['setting', 'description', 'default; allowed values'], rows)}`;
    })
    .join('\n\n');
}

/** Descriptions are plain text, because .env.example shows them too. */
function toMarkdown(description) {
  return description
    .replace(/docs\/reference\/([\w-]+\.md)/g, '[$1]($1)')
    .replace(/docs\/((?:[\w-]+\/)*[\w-]+\.md)/g, '[$1](../$1)')
    .replace(/(?<![\w[(/`])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w)])/g, '`$1`')
    .replace(/(?<![\w`(])((?:https?|postgresql|rediss?(?:\+\w+)?):\/\/[^\s;]*[^\s;,.])/g, '`$1`')
    .replace(/(?<= )(\/(?:metrics|v2\/send))/g, '`$1`')
    .replace(/\*(?=\.| )/g, '\\*');
}

function describeDefault({ default: value }) {
  if (value === undefined) return 'unset';
  return value === '' ? 'empty' : code(String(value));
}

/** Null if any text is allowed. */
function describeBounds(setting, rules) {
  if (setting.enum) return setting.enum.map(code).join(', ');
  if (setting.type === 'boolean') return '`true`, `false`';
  const { minimum, maximum, format } = setting;
  if (minimum !== undefined && maximum !== undefined) return `${group(minimum)} to ${group(maximum)}`;
  if (minimum !== undefined) return `at least ${group(minimum)}`;
  if (format && rules[format]) return toMarkdown(rules[format].split(';')[0].replace(/^must be /, ''));
  return null;
}

const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
