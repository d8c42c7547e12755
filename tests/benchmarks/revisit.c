/* One policy's year over the blogs of a World (revisit_world.py), blog by blog. Compiled and called by revisit_policies.py.
 *
 * policy 0: a fixed interval. 1: a week divided by the entries of the last week, 5 minutes to 24 hours, ttl and max-age kept.
 * 2: blogcrawl's: habit.observe, habit.interval_hours and revisit.next_visit, checked against them in every run.
 * Times in hours from a Monday, 00:00 UTC. */
#include <math.h>
#include <stdint.h>

enum { REQUESTS, POLLS, NEWS, EMPTY, NOT_MODIFIED, FAILED, FOUND, LOST, PENDING, GIVEN_UP };
enum { SAVED, DELAY_SUM };
enum { WINDOW = 10, NIGHT = 6, TICK = 4096 };

typedef struct {
    int64_t n;
    double hours;
    const int64_t *starts; /* n + 1; each blog's posts end with an infinite one */
    const double *times, *fails_from, *fails_until, *vanish, *moves, *held, *phase;
    const uint8_t *says_gone, *conditional, *sleeps;
    const uint32_t *key_bits, *hour_bits;
    double half_life_days, prior_posts, prior_days, prior_profile, spill, floor_hours, ceiling_hours, whole_factor;
    double failure_base, failure_ceiling, failures_to_list, jitter;
    const double *bins;
    int64_t bin_count;
} World;

typedef struct {
    double row, now, failing, first, fresh, wait;
} Visit;

typedef struct {
    double posts, days, last;
    float hours[24], weekdays[7];
} Habit;

static double modulo(double x, double by)
{
    return x - by * floor(x / by);
}

static void learn(const World *w, Habit *h, double moment)
{
    int hour = (int)modulo(moment, 168), of_day = hour % 24;
    h->posts += 1;
    h->hours[of_day] += 1 - 2 * w->spill;
    h->hours[(of_day + 1) % 24] += w->spill;
    h->hours[(of_day + 23) % 24] += w->spill;
    h->weekdays[hour / 24] += 1;
}

static void watch(const World *w, Habit *h, double now)
{
    double days = (now - h->last) / 24, fade = exp2(-days / w->half_life_days);
    float fading = fade;
    h->last = now;
    h->posts *= fade;
    h->days = h->days * fade + days;
    for (int i = 0; i < 24; i++)
        h->hours[i] *= fading;
    for (int i = 0; i < 7; i++)
        h->weekdays[i] *= fading;
}

static double interval(const World *w, const Habit *h, double now, double base)
{
    float by_hour[24], by_day[7], until_hour[25], until_day[8], flat_hour = w->prior_profile / 24, flat_day = w->prior_profile / 7;
    for (int i = 0; i < 24; i++)
        by_hour[i] = sqrtf(h->hours[i] + flat_hour);
    for (int i = 0; i < 7; i++)
        by_day[i] = sqrtf(h->weekdays[i] + flat_day);
    until_hour[0] = until_day[0] = 0;
    for (int i = 0; i < 24; i++)
        until_hour[i + 1] = until_hour[i] + by_hour[i];
    for (int i = 0; i < 7; i++)
        until_day[i + 1] = until_day[i] + by_day[i];
    double moment = modulo(now, 168), day_sum = until_hour[24], week = until_day[7] * day_sum;
    int day = (int)(moment / 24), hour = (int)(moment - day * 24);
    double spent = until_day[day] * day_sum + by_day[day] * (until_hour[hour] + (moment - day * 24 - hour) * by_hour[hour]);
    double goal = spent + week * base / (168 * sqrt((h->posts + w->prior_posts) / (h->days + w->prior_days)));
    double weeks = floor(goal / week);
    goal -= weeks * week;
    for (day = 0; day < 6 && until_day[day + 1] * day_sum < goal; day++)
        ;
    double left = (goal - until_day[day] * day_sum) / by_day[day];
    for (hour = 0; hour < 23 && until_hour[hour + 1] < left; hour++)
        ;
    double part = fmin(fmax((left - until_hour[hour]) / by_hour[hour], 0), 1);
    return weeks * 168 + day * 24 + hour + part - moment;
}

static double ours(const World *w, int64_t row, const Habit *h, double now, int failing, int failures, int whole, double base, double *saved)
{
    double jitter = 1 + w->jitter * (2 * ((w->key_bits[row] ^ w->hour_bits[(int64_t)now]) / 4294967295.0) - 1);
    if (failing) {
        double wait = w->failure_base * exp2(failures < 21 ? failures - 1 : 20);
        return failures >= w->failures_to_list ? INFINITY : fmax(fmin(wait, w->failure_ceiling) * jitter, w->floor_hours);
    }
    double wanted = fmin(interval(w, h, now, base) * (whole ? w->whole_factor : 1), w->ceiling_hours) * jitter;
    double wait = fmax(wanted, fmax(w->floor_hours, w->held[row])), of_day = modulo(now + wait, 24);
    if (w->sleeps[row] && of_day < NIGHT)
        wait += NIGHT - of_day;
    *saved += wait / fmax(wanted, w->floor_hours) - 1;
    return wait;
}

static void discovered(const World *w, double delay, double *sum, int64_t *delays)
{
    int64_t low = 0, high = w->bin_count;
    *sum += delay;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        *(w->bins[middle] <= delay ? &low : &high) = middle;
    }
    delays[low]++;
}

/* counts: by the first enum; sums: by the second; delays: a histogram over bins. The visits of the first ``sample`` blogs are
 * written down, at most ``room`` of them; their number is returned. */
int64_t simulate(const World *w, int policy, double base, int64_t *counts, double *sums, int64_t *delays, int64_t sample, Visit *visits, int64_t room)
{
    int64_t written = 0;
    for (int64_t row = 0; row < w->n; row++) {
        const double *times = w->times;
        int64_t seen = w->starts[row], week = seen, last = w->starts[row + 1] - 1;
        int failures = 0, moved = 0, gone = 0, whole = 0;
        Habit habit = {0};
        while (times[seen] <= 0)
            seen++;
        int64_t oldest = seen - WINDOW > w->starts[row] ? seen - WINDOW : w->starts[row];
        if (oldest < seen)
            habit.days = -times[oldest] / 24;
        for (int64_t i = oldest; i < seen; i++)
            learn(w, &habit, times[i]);
        for (double now = w->phase[row], wait; now < w->hours; now = ceil((now + wait) * TICK) / TICK) {
            int vanished = now >= w->vanish[row], failing = vanished || (now >= w->fails_from[row] && now < w->fails_until[row]);
            int64_t before = seen, fresh, kept;
            while (!failing && times[seen] <= now)
                seen++;
            fresh = seen - before;
            kept = policy == 2 || fresh < WINDOW ? fresh : WINDOW;
            counts[POLLS]++;
            counts[REQUESTS] += 1 + (policy == 2 ? fresh / WINDOW : 0);
            if (!moved && !failing && w->moves[row] <= now)
                counts[REQUESTS] += moved = 1;
            counts[LOST] += fresh - kept;
            counts[FOUND] += kept;
            counts[FAILED] += failing;
            counts[NEWS] += fresh > 0;
            counts[EMPTY] += !fresh && !failing;
            counts[NOT_MODIFIED] += !fresh && !failing && w->conditional[row];
            for (int64_t i = seen - kept; i < seen; i++)
                discovered(w, now - times[i], &sums[DELAY_SUM], delays);
            failures = failing ? failures + 1 : 0;
            if (policy == 0)
                wait = base;
            else if (policy == 1) {
                while (times[week] <= now - 168)
                    week++;
                wait = seen > week ? fmax(168.0 / (seen - week), 5.0 / 60) : 24;
                wait = fmax(fmin(fmax(wait, w->held[row]), 24), w->floor_hours);
            } else {
                if (!failing) {
                    watch(w, &habit, now);
                    for (int64_t i = before; i < seen; i++)
                        learn(w, &habit, times[i]);
                }
                if (!failing && !fresh)
                    whole = !w->conditional[row];
                wait = ours(w, row, &habit, now, failing, failures, whole, base, &sums[SAVED]);
                counts[GIVEN_UP] += isinf(wait);
            }
            gone = (vanished && w->says_gone[row]) || isinf(wait);
            if (row < sample && written < room && !(vanished && w->says_gone[row]))
                visits[written++] = (Visit){row, now, failing, before, fresh, wait};
            if (gone)
                break;
        }
        counts[gone ? LOST : PENDING] += last - seen;
    }
    return written;
}
