import { expect, it } from 'vitest';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { ChannelMedia } from '../../../src/features/media/media-source.js';
import { newId } from '../../../src/platform/ids.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const PLACE = 'meta 4711';
const heliograph = sharedApp({ role: 'api' });

it('a copy is recorded by the process that takes over from one whose upload fails', async () => {
  const { deps } = heliograph;
  const channel = await createTestChannel(deps);
  const id = newId();
  await deps.prisma.media.create({
    data: {
      ...{ id, accountId: channel.account.id, channelId: channel.channelId, origin: 'uploaded', status: 'kept' },
      ...{ mimeType: 'image/png', size: 1_000, createdAt: new Date() },
    },
  });
  const [first, second, third] = Array.from({ length: 3 }, () => new ChannelMedia({ ...deps, ...deps.media }));
  const copy = { carrierMediaId: '99', expiresAt: new Date(Date.now() + 3_600_000) };
  const uploadEnd = withResolvers();
  let upload: ReturnType<ChannelMedia['ensureCopy']> | undefined;
  const failingCopy = first?.ensureCopy(id, PLACE, async () => {
    // Simulates a process that was delayed for longer than its lease.
    await deps.prisma.mediaUpload.updateMany({ where: { mediaId: id }, data: { leasedUntil: new Date(0) } });
    const hasStarted = withResolvers();
    upload = second?.ensureCopy(id, PLACE, async () => {
      hasStarted.resolve();
      await uploadEnd.promise;
      return copy;
    });
    await hasStarted.promise;
    throw CarrierError.unavailable('MEDIA_UPLOAD', 'The carrier did not take the file.');
  });
  await expect(failingCopy).rejects.toMatchObject({ code: 'MEDIA_UPLOAD' });
  uploadEnd.resolve();
  expect(await upload).toEqual({ carrierMediaId: '99', isNew: true });
  const repeatedCopy = third?.ensureCopy(id, PLACE, () => expect.unreachable('it was uploaded again'));
  expect(await repeatedCopy).toEqual({ carrierMediaId: '99', isNew: false });
});
