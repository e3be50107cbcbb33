import './app/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { isBrowserSupported, showUnsupportedBrowser } from './app/browser-support.ts'
import { applyColorScheme } from './app/color-scheme.ts'
import { AppRoutes } from './app/router.tsx'
import { allowTrustedTexts } from './app/trusted-types.ts'

// The content security policy forbids eval. zod must know this before the first schema is created.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
applyColorScheme()
allowTrustedTexts()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
if (isBrowserSupported())
  createRoot(root).render(
    <StrictMode>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </StrictMode>,
  )
else showUnsupportedBrowser(root)
