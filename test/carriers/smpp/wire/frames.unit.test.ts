import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadFrameError, FrameReader, HEADER_OCTETS } from '../../../../src/carriers/smpp/wire/frames.js';
import { encodeWithPeer, octets } from './peer.js';

/** @param cuts where the chunks end */
function readInChunks(reader: FrameReader, stream: Buffer, cuts: readonly number[]): Buffer[] {
  const frames: Buffer[] = [];
  let start = 0;
  for (const cut of [...cuts, stream.length].sort((a, b) => a - b)) {
    if (cut > start) frames.push(...pushChunk(reader, stream.subarray(start, cut)));
    start = Math.max(start, cut);
  }
  return frames;
}

function pushChunk(reader: FrameReader, chunk: Buffer): Buffer[] {
  const { frames, error } = reader.push(chunk);
  if (error) throw error;
  return frames;
}

const arbitraryCutPositions = (stream: Buffer) =>
  fc.array(fc.integer({ min: 1, max: stream.length }), { maxLength: 20 });

describe('FrameReader', () => {
  it('the SMPP frame reader returns the same frames however the stream is cut', () => {
    const frames = [
      encodeWithPeer('enquire_link'),
      encodeWithPeer('deliver_sm', { short_message: Buffer.alloc(200, 1) }),
      encodeWithPeer('unbind'),
    ];
    const stream = Buffer.concat(frames);
    fc.assert(
      fc.property(arbitraryCutPositions(stream), (cuts) => {
        const reader = new FrameReader();
        const receivedFrames = readInChunks(reader, stream, cuts);
        expect(receivedFrames.map((frame) => frame.toString('hex'))).toEqual(
          frames.map((frame) => frame.toString('hex')),
        );
        expect(reader.pending).toBe(0);
      }),
    );
  });

  it('the SMPP frame reader waits for the last octet of a frame', () => {
    const frame = encodeWithPeer('deliver_sm', { short_message: Buffer.from('Hello') });
    for (let length = 0; length < frame.length; length++) {
      const reader = new FrameReader();
      expect(pushChunk(reader, frame.subarray(0, length))).toEqual([]);
      expect(reader.pending).toBe(length);
      expect(pushChunk(reader, frame.subarray(length))).toEqual([frame]);
    }
  });

  it('the SMPP frame reader accepts the longest possible message_payload', () => {
    const frame = Buffer.alloc(HEADER_OCTETS + 40 + 0xffff);
    frame.writeUInt32BE(frame.length);
    expect(pushChunk(new FrameReader(), frame)).toEqual([frame]);
  });

  it.each([0, 1, 3, 4, 15, 0x20000, 0xffffffff])('the SMPP frame reader rejects a length of %i octets', (length) => {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(length);
    expect(new FrameReader().push(header)).toEqual({ frames: [], error: expect.any(BadFrameError) });
  });

  it('the SMPP frame reader returns the frames before an invalid one', () => {
    const frame = encodeWithPeer('enquire_link');
    const { frames, error } = new FrameReader().push(Buffer.concat([frame, frame, Buffer.alloc(16)]));
    expect([frames, error]).toEqual([[frame, frame], expect.any(BadFrameError)]);
  });

  it('the SMPP frame reader returns frames or an error for arbitrary octets', () => {
    const stream = octets(200).filter(({ length }) => length > 0);
    fc.assert(
      fc.property(
        stream.chain((bytes) => fc.tuple(fc.constant(bytes), arbitraryCutPositions(bytes))),
        ([bytes, cuts]) => {
          const reader = new FrameReader();
          try {
            const receivedFrames = readInChunks(reader, bytes, cuts);
            expect(Buffer.concat(receivedFrames).length + reader.pending).toBe(bytes.length);
            for (const frame of receivedFrames) expect(frame.readUInt32BE()).toBe(frame.length);
          } catch (error) {
            expect(error).toBeInstanceOf(BadFrameError);
          }
        },
      ),
    );
  });
});
