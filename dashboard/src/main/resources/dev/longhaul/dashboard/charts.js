// Line charts over time. Colours come from the style sheet, for both themes.
import { html } from 'lit';
import { CategoryScale, Chart, Filler, LineController, LineElement, LinearScale, PointElement, Tooltip } from 'chart.js';
import { Screen } from './parts.js';

Chart.register(CategoryScale, Filler, LineController, LineElement, LinearScale, PointElement, Tooltip);

class TimeChart extends Screen {
  /**
   * lines: [{ name, colour (a custom property), values, fill }]; times: ISO text per value; marks: [{ at, text }];
   * unit: formats a value.
   */
  static properties = { times: { attribute: false }, lines: { attribute: false }, marks: { attribute: false }, unit: { attribute: false }, label: {} };

  constructor() {
    super();
    this.recolour = () => this.draw(true);
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener('theme', this.recolour);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', this.recolour);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('theme', this.recolour);
    this.dark.removeEventListener('change', this.recolour);
    this.chart?.destroy();
    this.chart = null;
  }

  updated() {
    this.draw(false);
  }

  draw(recreate) {
    if (!this.times || !this.isConnected) {
      return;
    }
    if (recreate) {
      this.chart?.destroy();
      this.chart = null;
    }
    const style = getComputedStyle(this);
    const colour = (name) => resolved(this, style.getPropertyValue(name));
    const labels = this.times.map((at) => clock(at, this.times));
    const datasets = this.lines.map((line) => ({
      label: line.name, data: line.values, borderColor: colour(line.colour), backgroundColor: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)`,
      fill: line.fill ?? false, borderWidth: 1.6, pointRadius: (point) => (alone(line.values, point.dataIndex) ? 1.6 : 0), pointBackgroundColor: colour(line.colour),
      pointHitRadius: 8, cubicInterpolationMode: 'monotone', spanGaps: false,
    }));
    if (this.chart) {
      this.chart.data.labels = labels;
      this.chart.data.datasets.forEach((set, i) => { set.data = datasets[i].data; set.pointRadius = datasets[i].pointRadius; });
      this.chart.options.plugins.marks.at = this.markPositions();
      this.chart.update('none');
      return;
    }
    const grid = colour('--line');
    const faint = colour('--faint');
    const font = { family: style.fontFamily, size: 11 };
    this.chart = new Chart(this.querySelector('canvas'), {
      type: 'line',
      data: { labels, datasets },
      plugins: [marks],
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, interaction: { mode: 'index', intersect: false },
        scales: {
          x: { grid: { display: false }, border: { color: grid }, ticks: { color: faint, font, maxTicksLimit: 6, maxRotation: 0, autoSkipPadding: 24 } },
          y: { beginAtZero: true, grid: { color: grid }, border: { display: false }, ticks: { color: faint, font, maxTicksLimit: 5, callback: (v) => this.unit(v) } },
        },
        plugins: {
          marks: { at: this.markPositions(), colour: faint, font: `11px ${style.fontFamily}` },
          tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${this.unit(item.parsed.y)}` } },
        },
      },
    });
  }

  /** Returns the marks as [index of the value before the mark, text]. */
  markPositions() {
    const times = this.times.map((at) => Date.parse(at));
    return (this.marks ?? []).map((mark) => [times.findLastIndex((at) => at <= Date.parse(mark.at)), mark.text]).filter(([i]) => i >= 0);
  }

  render() {
    return html`<div class="legend small" aria-hidden="true">${this.lines?.map((line) => html`<span><i .style=${`background: var(${line.colour})`}></i>${line.name}</span>`)}</div>
      <div class="chart"><canvas role="img" aria-label=${this.label}></canvas></div>`;
  }
}

/** Returns whether a value has no neighbours. It is then drawn as a point, because lines do not cross gaps. */
const alone = (values, i) => values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;

/** Returns the computed colour, because Chart.js does not understand light-dark(). */
function resolved(element, value) {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const plain = getComputedStyle(probe).color;
  probe.remove();
  return plain;
}

/** Draws a dashed line with the version where a worker of another version started. Merges labels that would overlap. */
const marks = {
  id: 'marks',
  afterDatasetsDraw(chart, _, options) {
    const { ctx, chartArea, scales } = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = options.colour;
    ctx.font = options.font;
    ctx.setLineDash([3, 3]);
    let free = chartArea.left;
    for (const [x, texts] of merged((options.at ?? []).map(([i, text]) => [scales.x.getPixelForValue(i), text]))) {
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      const text = texts.length === 1 ? fitted(ctx, texts[0]) : `${texts.length} versions`;
      const width = ctx.measureText(text).width;
      const from = Math.min(x + 4, chartArea.right - width);
      if (from >= free) {
        ctx.fillText(text, from, chartArea.top + 9);
        free = from + width + 8;
      }
    }
    ctx.restore();
  },
};

const NEAR_PIXELS = 60;

/** Merges marks that are closer than NEAR_PIXELS, as [x of the first mark, all their texts]. */
function merged(all) {
  const groups = [];
  for (const [x, text] of all.toSorted((a, b) => a[0] - b[0])) {
    const last = groups.at(-1);
    last && x - last[0] < NEAR_PIXELS ? last[1].push(text) : groups.push([x, [text]]);
  }
  return groups;
}

function fitted(ctx, text) {
  let shown = text;
  while (shown.length > 4 && ctx.measureText(shown).width > 2 * NEAR_PIXELS) {
    shown = `${shown.slice(0, -2)}…`;
  }
  return shown;
}

function clock(at, all) {
  const long = Date.parse(all.at(-1)) - Date.parse(all[0]) > 86_400_000 * 1.5;
  const short = Date.parse(all.at(-1)) - Date.parse(all[0]) < 3_600_000;
  return new Date(at).toLocaleString(undefined, long ? { month: 'short', day: 'numeric', hour: '2-digit', hour12: false }
    : { hour: '2-digit', minute: '2-digit', ...(short ? { second: '2-digit' } : {}), hour12: false });
}

customElements.define('time-chart', TimeChart);
