import { Button, Group, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { copyText } from '../../browser/copy.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

interface CopyFieldProps {
  label: string;
  value: string;
  description?: string;
}

export function CopyField({ label, value, description }: CopyFieldProps) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        flex={1}
        label={label}
        description={description}
        value={value}
        readOnly
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value} label={text.common.copyOf(label)} />
    </Group>
  );
}

interface CopyButtonProps {
  value: string;
  label?: string;
  size?: string;
  children?: string;
}

export function CopyButton({ value, label, size, children = text.common.copy }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: children, copied: text.common.copied, failed: text.common.copyFailed }[state];
  return (
    <Button
      variant="default"
      size={size ?? 'sm'}
      aria-label={state === 'idle' ? label : words}
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={16} />}
      onClick={() => void copyText(value).then((isCopied) => setState(isCopied ? 'copied' : 'failed'))}
    >
      <span aria-live="polite">{words}</span>
    </Button>
  );
}
