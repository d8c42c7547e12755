"""What a rendering does not load: trackers, advertising, fonts, video. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

BLOCKED_TYPES = frozenset(
    {
        "font",
        "media",
        "texttrack",
        "manifest",
        "ping",
        "cspviolationreport",
        "prefetch",
        "eventsource",
    }
)
"""Playwright's resource types that add nothing to text, boxes or picture of a page."""

TRACKERS = frozenset(
    (
        # analytics
        "google-analytics.com googletagmanager.com analytics.google.com stats.wp.com "
        "pixel.wp.com statcounter.com "
        "quantserve.com scorecardresearch.com hotjar.com mouseflow.com fullstory.com clarity.ms "
        "matomo.cloud piwik.pro "
        "mixpanel.com segment.com segment.io amplitude.com heapanalytics.com chartbeat.com "
        "chartbeat.net parsely.com "
        "newrelic.com nr-data.net sentry.io bugsnag.com histats.com hs-analytics.net "
        "hs-scripts.com hs-banner.com mc.yandex.ru "
        "metrika.yandex.ru top.mail.ru top-fwz1.mail.ru counter.yadro.ru hm.baidu.com cnzz.com "
        "51.la busuanzi.ibruce.info "
        "plausible.io cloudflareinsights.com umami.is goatcounter.com crazyegg.com "
        "optimizely.com kissmetrics.io gaug.es "
        "clicky.com getclicky.com woopra.com sitemeter.com shinystat.com etracker.com ioam.de "
        # advertising
        "doubleclick.net googlesyndication.com googleadservices.com adservice.google.com "
        "adnxs.com adsrvr.org adform.net "
        "amazon-adsystem.com criteo.com criteo.net outbrain.com taboola.com revcontent.com "
        "mgid.com pubmatic.com "
        "rubiconproject.com openx.net casalemedia.com indexww.com media.net smartadserver.com "
        "advertising.com moatads.com "
        "adroll.com bidswitch.net lijit.com sovrn.com teads.tv sharethrough.com 33across.com "
        "yieldmo.com an.yandex.ru adfox.ru "
        "carbonads.com carbonads.net buysellads.com infolinks.com skimresources.com viglink.com "
        "popads.net propellerads.com "
        "exoclick.com zedo.com connect.facebook.net/signals tr.snapchat.com ads-twitter.com "
        "analytics.twitter.com bat.bing.com "
        "px.ads.linkedin.com snap.licdn.com analytics.tiktok.com ct.pinterest.com "
        # consent dialogs and push messages
        "cookielaw.org onetrust.com cookiebot.com consensu.org quantcast.mgr.consensu.org "
        "trustarc.com usercentrics.eu "
        "didomi.io onesignal.com pushcrew.com pushwoosh.com "
        # share buttons and chat
        "addthis.com addtoany.com sharethis.com sumo.com intercom.io intercomcdn.com drift.com "
        "tawk.to crisp.chat zopim.com "
        "zdassets.com livechatinc.com olark.com "
    ).split()
)
"""Hosts (and all below them) whose business is measuring, advertising, consent or chat; compiled by
hand from what blogs embed.
"""

_TRACKING_PATH = re.compile(
    (
        r"/(?:piwik|matomo)\.(?:js|php)|/(?:g/)?collect\?|/beacon(?:\.gif|\.js|/)|/pixel\.gif|"
        r"/adsbygoogle\.js|/(?:ga|gtag|analytics)\.js(?:$|\?)|/tracking\.gif"
    ),
    re.I,
)


def blocked(url: str, resource_type: str = "other") -> str | None:
    """Why a rendering leaves this request out ("font", "tracker"), None where it is loaded."""
    if resource_type in BLOCKED_TYPES:
        return resource_type
    if url.startswith(("data:", "blob:", "about:")):
        return None
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return "broken URL"
    if resource_type == "document":
        return "tracker" if is_tracker(host) else None
    return (
        "tracker"
        if is_tracker(host) or _TRACKING_PATH.search(parts.path + ("?" if parts.query else ""))
        else None
    )


def is_tracker(host: str) -> bool:
    """Whether a host, or one above it, is in the table."""
    labels = host.split(".")
    return any(".".join(labels[i:]) in TRACKERS for i in range(len(labels) - 1))
