import { useId as useReactId } from 'react'

/**
 * Replaces Mantine's `useId` in builds. Mantine's own changes the id after the first render, for
 * servers that render pages, so React renders almost every component of a new screen twice. This
 * was a tenth of the time in which a dashboard blocks the page while it starts.
 */
export function useId(staticId?: string): string {
  const reactId = useReactId()
  return staticId ?? `mantine-${reactId.replaceAll(':', '')}`
}
