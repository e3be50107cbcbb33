interface Policy {
  createHTML(html: string): string | null
  createScriptURL(url: string, type: string, sink: string): string | null
}

/** Own scripts, and those of the player that YouTube loads into the page. */
const scriptOrigins = [location.origin, 'https://www.youtube.com']
const tag = /<[a-z/!?]/i

/**
 * Pages have a content security policy that requires Trusted Types. There, browsers ask this policy
 * about each text that becomes HTML or the address of a script. Null refuses the text. The client
 * itself writes no HTML; Mantine writes styles as HTML without tags. hls.js starts its worker from
 * a blob of its own code.
 */
export const defaultPolicy: Policy = {
  createHTML: html => (tag.test(html) ? null : html),
  createScriptURL: (url, _type, sink) => {
    const { origin, protocol } = new URL(url, location.href)
    const isOwnWorker = protocol === 'blob:' && sink === 'Worker constructor'
    return scriptOrigins.includes(origin) && (protocol !== 'blob:' || isOwnWorker) ? url : null
  },
}

/** Makes `defaultPolicy` the page's policy. Without one, all of these texts are refused. */
export function allowTrustedTexts(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, policy: Policy): unknown } }
  trustedTypes?.createPolicy('default', defaultPolicy)
}
