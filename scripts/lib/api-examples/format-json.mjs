/** Like JSON.stringify with indentation, but keeps short objects and lists on one line. */
export function formatJson(value, indent = '') {
  const flat = toOneLine(value);
  if (flat.length + indent.length <= 76 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((entry) => inner + formatJson(entry, inner)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${formatJson(member, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function toOneLine(value) {
  if (Array.isArray(value)) return `[${value.map(toOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${toOneLine(member)}`);
  return `{${members.join(', ')}}`;
}
