import { ActionIcon, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { findFieldProblem } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { explain } from '../../ui/feedback/error-state.js';
import { FileChoice } from '../../ui/forms/file-choice.js';
import { formatBytes } from '../../ui/values/numbers.js';
import type { AttachedFile } from './use-attachment.js';

const words = text.inbox.attachment;
/** File types for the browser's file dialog; the server checks the actual content. */
const ACCEPTED = 'image/jpeg,image/png,image/webp,video/*,audio/*,.pdf,.txt,.doc,.docx,.xls,.xlsx,.ppt,.pptx';

/** Kinds of files for which WhatsApp shows a caption. */
export const CAPTIONED: ReadonlySet<string> = new Set(['image', 'video', 'document']);

export function AttachButton({ onChoose, disabled }: { onChoose(file: File): void; disabled: boolean }) {
  return (
    <FileChoice onChoose={onChoose} accept={ACCEPTED} inputProps={{ 'aria-label': words.file }}>
      {(props) => (
        <Button
          {...props}
          size="xs"
          variant="default"
          disabled={disabled}
          leftSection={<Icon name="upload" size={16} />}
        >
          {words.attach}
        </Button>
      )}
    </FileChoice>
  );
}

export function Attachment({ attached, onRemove }: { attached: AttachedFile; onRemove(): void }) {
  const { file, progress, uploaded, error } = attached;
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const percent = Math.round(progress * 100);
  const isSending = !uploaded && !error;
  return (
    <Stack gap={6} role="group" aria-label={words.attachedFile}>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="sm" lineClamp={1} style={{ overflowWrap: 'anywhere' }}>
          {file.name}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} role="status">
            {uploaded && `${types[uploaded.kind] ?? uploaded.kind} · `}
            {isSending && `${words.percent(percent)} · `}
            {formatBytes(file.size)}
          </Text>
          <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={words.remove}>
            <Icon name="x" size={16} />
          </ActionIcon>
        </Group>
      </Group>
      {isSending && <Progress value={percent} aria-label={words.progress} size="sm" />}
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {findFieldProblem(error, 'file') ?? explain(error).message}
        </Text>
      )}
      {uploaded && !CAPTIONED.has(uploaded.kind) && (
        <Text size="xs" c="dimmed">
          {words.noCaption}
        </Text>
      )}
    </Stack>
  );
}
