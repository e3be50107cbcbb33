import { fileURLToPath } from 'node:url'

/** The absolute path of a file in `web/`. */
export const sourceFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const workerName = 'service-worker'
export const offlinePage = 'offline.html'

/** The modules that the first screen of each role loads with `import()`. */
export const firstScreens: Record<string, readonly string[]> = {
  user: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/trainee-page.tsx'],
  supervisor: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/supervisor-page.tsx'],
  director: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/supervisor-page.tsx'],
  manager: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/manager-page.tsx'],
  admin: ['src/app/page-layout.tsx', 'src/app/admin-page.tsx'],
}

/** Replaces a module of Mantine. */
export const mantineUseId = sourceFile('src/ui/hooks/mantine-use-id.ts')
