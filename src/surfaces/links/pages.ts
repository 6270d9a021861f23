const TEXTS = {
  404: ['Link not found', 'This link does not exist. Check that it is complete.'],
  410: ['Link expired', 'This link has expired.'],
  429: ['Too many requests', 'Try again in a few seconds.'],
  503: ['Not available', 'Try again in a few seconds.'],
} as const;

export type PageStatus = keyof typeof TEXTS;

export const PAGE_TYPE = 'text/html; charset=utf-8';

/** Contains nothing from the request, and needs no style sheet, script or cookie. */
export function linkPage(status: PageStatus): string {
  const [title, text] = TEXTS[status];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
</head>
<body>
<main><h1>${title}</h1><p>${text}</p></main>
</body>
</html>
`;
}
