"""Tasks in the food delivery app."""

from fairground_pocket.eats.scenarios import across, answers, carts, managing, ordering, telling

SCENARIOS = (
    ordering.OrderDish(), ordering.OrderWithExtras(), ordering.ScheduleOrder(), ordering.OrderWithCode(),
    ordering.OrderWithOffer(), ordering.OrderElsewhere(), ordering.OrderCheapest(), carts.FillCart(),
    carts.ChangeCart(), carts.OrderCart(), carts.OrderAgain(), carts.CancelScheduled(), managing.AddFavourites(),
    managing.SwapFavourite(), managing.FavouriteBest(), managing.AddAddress(), managing.EditAddress(),
    managing.ChangeDefaults(), managing.DeleteAddress(), managing.AddCard(), telling.RateOrder(),
    telling.ReportProblem(), telling.SetDiet(), telling.SetAlerts(), answers.OrderTotal(), answers.DishPrice(),
    answers.CountRestaurants(), answers.ClosingTime(), answers.FastestPlace(), answers.MonthSpent(),
    answers.OfferEnds(), answers.CourierName(), answers.ReviewWords(), answers.VeganDishes(), answers.TimesOrdered(),
    across.OrderFromMail(), across.MailTotal(), across.MailPhone(), across.RecommendedMinimum(),
)  # fmt: skip
"""All tasks of the app."""
