import { describe, expect, it } from 'vitest';
import { toDocumentFilename } from '../../../src/messages/compose/document-filename.js';

describe('the file name of a document from media_url', () => {
  it.each(
    Object.entries({
      'https://example.com/invoice.pdf': 'invoice.pdf',
      'https://example.com/a/b/Report.DOCX?signature=x.y#page': 'Report.DOCX',
      'https://example.com/Q3%20report%20%28final%29.xlsx': 'Q3 report (final).xlsx',
      'https://example.com/%C3%9Cbersicht.pdf': 'Übersicht.pdf',
      'https://example.com/archive.tar.gz': 'archive.tar.gz',
      'https://example.com/%ff.pdf': '%ff.pdf',
      // A dot before a space or before digits only does not start a file extension.
      'https://example.com/Invoice%20No.%205': 'Invoice No. 5.pdf',
      'https://example.com/invoice-2026.11': 'invoice-2026.11.pdf',
      'https://example.com/a.7z': 'a.7z',
      'https://example.com/Smith%20%26%20Co.%20KG': 'Smith & Co. KG.pdf',
      'https://example.com/invoice': 'invoice.pdf',
      'https://example.com/invoice?format=docx': 'invoice.pdf',
      'https://example.com/invoice.': 'invoice.pdf',
      'https://example.com/v1.2/invoice': 'invoice.pdf',
      'https://example.com': 'document.pdf',
      'https://example.com/': 'document.pdf',
      'https://example.com/a/?b=c.pdf': 'document.pdf',
      'https://example.com/.pdf': 'document.pdf',
      'https://example.com/%20': 'document.pdf',
    }),
  )('the file name of %s is %s', (url, name) => {
    expect(toDocumentFilename(url)).toBe(name);
  });

  it('a file name contains no bidirectional controls, which could disguise the extension', () => {
    const rightToLeftName = encodeURIComponent('invoice\u202efdp.exe');
    expect(toDocumentFilename(`https://example.com/${rightToLeftName}`)).toBe('invoicefdp.exe');
    const isolatedName = encodeURIComponent('\u2066a\u2069\u200f.p\u200edf\u2028');
    expect(toDocumentFilename(`https://example.com/${isolatedName}`)).toBe('a.pdf');
  });

  it.each([
    ['https://example.com/..%2f..%2fetc%2fpasswd', '....etcpasswd'],
    ['https://example.com/a%5Cb%0d%0ac%00.pdf', 'abc.pdf'],
  ])('a file name contains no path and no control characters: %s', (url, name) => {
    expect(toDocumentFilename(url).replace(/\.pdf$/, '')).toBe(name.replace(/\.pdf$/, ''));
  });

  it('a long file name is truncated', () => {
    const name = toDocumentFilename(`https://example.com/${'x'.repeat(5000)}.pdf`);
    expect(name).toBe(`${'x'.repeat(240)}.pdf`);
    expect(toDocumentFilename(`https://example.com/a.${'x'.repeat(5000)}`).length).toBeLessThan(300);
  });
});
