import { describe, expect, it } from 'vitest';
import { chooseLabel, detectContentType } from '../../../src/features/media/content-type.js';

const declare = (mimeType: string | null, filename: string | null = null) => ({ mimeType, filename });
const fromHex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const createIsoFile = (brand: string) =>
  Buffer.concat([fromHex('00000018'), Buffer.from(`ftyp${brand}\0\0\0\0isommp42`, 'latin1')]);
const utf16 = Buffer.from('\ufeffHallo, das ist ein Text.\r\n', 'utf16le');
const latin1 = Buffer.from('Größe: fünf Äpfel\r\n', 'latin1');

describe('the detected type of a file', () => {
  it.each([
    ['UTF-16 with a mark', utf16, declare('text/plain')],
    ['UTF-16 with a mark, undeclared', utf16, declare(null)],
    ['UTF-16, the high byte first', Buffer.from(utf16).swap16(), declare('text/plain')],
    ['UTF-16 without a mark', Buffer.from('A text', 'utf16le'), declare('text/plain')],
    ['Latin-1', latin1, declare('text/plain')],
    ['Latin-1 that begins like a sound', Buffer.from('ÿûrte', 'latin1'), declare('text/plain')],
    ['Latin-1 by its name', latin1, declare(null, 'list.csv')],
    ['words that begin like the tags of a sound', Buffer.from('ID3 is a tag'), declare(null)],
  ])('type detection detects %s as text', (_, head, declared) => {
    expect(detectContentType(head, declared)).toMatchObject({ mimeType: 'text/plain' });
  });

  it.each([
    ['qt  ', 'video/quicktime'],
    ['heic', 'image/heic'],
    ['mif1', 'image/heic'],
    ['avif', 'image/avif'],
    ['isom', 'video/mp4'],
    ['mp42', 'video/mp4'],
    ['3gp4', 'video/3gpp'],
  ])('type detection detects the brand %s as %s, whatever is declared', (brand, mimeType) => {
    expect(detectContentType(createIsoFile(brand), declare('video/mp4'))?.mimeType).toBe(mimeType);
  });

  it.each([
    ['MP3', fromHex('fffb9064'), 'audio/mpeg'],
    ['MP3 with tags', fromHex('494433 04 00 00'), 'audio/mpeg'],
    ['AAC', fromHex('fff15080'), 'audio/aac'],
  ])('type detection detects %s as audio', (_, head, mimeType) => {
    expect(detectContentType(head, declare(null))?.mimeType).toBe(mimeType);
  });
});

describe('the label of a file', () => {
  it.each([
    ['an unknown content', fromHex('00000014 66726565'), 'video/quicktime', 'video/quicktime'],
    ['an unknown brand', createIsoFile('abcd'), 'video/x-m4v', 'video/x-m4v'],
    ['text of a more specific type', Buffer.from('BEGIN:VCARD'), 'text/vcard', 'text/vcard'],
    ['JSON text', Buffer.from('{"a": 1}'), 'application/json; charset=utf-8', 'application/json'],
    ['a weak frame', fromHex('fffb9064'), 'application/x-own', 'application/x-own'],
  ])('the type of a file is the declared type of %s', (_, head, declared, label) => {
    expect(chooseLabel(head, declare(declared))).toBe(label);
  });

  it.each([
    ['recognized content', Buffer.from('%PDF-1.7'), 'image/jpeg', 'application/pdf'],
    ['a page declared as a picture', Buffer.from('<html>'), 'image/jpeg', 'text/plain'],
    ['bytes declared as a page', fromHex('000102'), 'text/html', 'application/octet-stream'],
    ['an invalid type', fromHex('000102'), 'a/b\r\nx: y', 'application/octet-stream'],
    ['no declared type', fromHex('000102'), null, 'application/octet-stream'],
  ])('the type of a file is the detected type of %s', (_, head, declared, label) => {
    expect(chooseLabel(head, declare(declared))).toBe(label);
  });
});
